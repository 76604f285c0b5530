// What this host has to run sandboxes and local tool servers with.
import { surveyEngines } from '@gatehouse/engine/survey'
import { type Check, launchesNothing, pass, warn } from './check.ts'

const join = { advice: 'run the doctor as the user of the unit, or add that user to the group docker, whose members are root on this host' }

export const engines: Check = {
  name: 'engines',
  run: async ({ unit }) => {
    if (launchesNothing(unit)) return [pass('not needed: this unit launches nothing')]
    const found = await surveyEngines()
    const there = found.filter(({ release }) => release !== null)
    const lacking = found.filter(({ name, release }) => release === null && name === 'runsc')
    return [
      there.length === 0
        ? warn(
            'neither bubblewrap nor a container engine is here: agents run without walls, or not at all',
            'apt-get install -y bubblewrap',
          )
        : pass(there.map(({ name, release }) => `${name} ${release}`).join(', ')),
      ...there.flatMap(({ name, silent }) =>
        silent === undefined
          ? []
          : [warn(`${name} is installed, and ${silent.reason}`, silent.forbidden ? join : 'systemctl start docker')],
      ),
      ...lacking.map(() =>
        warn('runsc is not here: a production unit refuses launches without it', { advice: 'https://gvisor.dev/docs/user_guide/install' }),
      ),
    ]
  },
}
