// What this host has to run sandboxes and local tool servers with.
import { surveyEngines } from '@gatehouse/engine/survey'
import { type Check, pass, warn } from './check.ts'

export const engines: Check = {
  name: 'engines',
  run: async () => {
    const found = await surveyEngines()
    const there = found.filter(({ release }) => release !== null)
    const lacking = found.filter(({ name, release }) => release === null && name === 'runsc')
    const silent = there.filter(({ silent: reason }) => reason !== undefined)
    return [
      there.length === 0
        ? warn(
            'neither bubblewrap nor a container engine is here: agents run without walls, or not at all',
            'apt-get install -y bubblewrap',
          )
        : pass(there.map(({ name, release }) => `${name} ${release}`).join(', ')),
      ...silent.map(({ name, silent: reason = '' }) =>
        warn(`${name} is installed and does not answer: ${reason}`, name === 'docker' ? 'systemctl start docker' : `${name} info`),
      ),
      ...lacking.map(() =>
        warn('runsc is not here: a production unit refuses launches without it', { advice: 'https://gvisor.dev/docs/user_guide/install' }),
      ),
    ]
  },
}
