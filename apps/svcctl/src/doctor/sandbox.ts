// Checks of sandboxes: the isolation that the unit runs with, and the programs of this host that it needs.
import { surveyEngines } from '@gatehouse/engine/survey'
import { type Check, fail, launchesNothing, notAnswered, pass, type Verdict, warn } from './check.ts'

export const sandbox: Check = {
  name: 'sandbox',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { driver, engine, status, reason = 'no reason was given', missing, seal } = found.status.sandbox
    const name = driver === 'container' && engine !== undefined ? `${driver} (${engine})` : driver
    if (status === 'off') return [pass('off: this unit launches nothing')]
    if (status === 'refused' && seal === 'proving') return [warn(`pending: ${reason}`, { advice: 'svcctl doctor, once more in a moment' })]
    if (status === 'refused')
      return [
        fail(`launches are refused: ${reason}`, {
          advice: 'install what it names, or start with --sandbox off for the control plane alone',
        }),
      ]
    return [
      missing.length === 0
        ? pass(name)
        : warn(`${name} missing controls: ${missing.join(', ')}`, { advice: 'for real use install runsc; see SECURITY.md' }),
    ]
  },
}

/** What this host has to run sandboxes and local tool servers with. */
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
            'neither bubblewrap nor a container engine is here: agents run without isolation, or not at all',
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

/** How strictly the unit was started. */
export const posture: Check = {
  name: 'posture',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { mode, open, mcp } = found.status
    const verdicts: Verdict[] = [
      ...(mode === 'production'
        ? []
        : [
            warn(`mode ${mode}${open ? ', which asks for no token' : ''}: for trying things out alone`, {
              advice: 'start without --dev and --demo for real use',
            }),
          ]),
      ...(mcp.enabled && mcp.isolation === 'none' && mode !== 'dev'
        ? [warn('local tool servers run as plain processes', { advice: 'start with --mcp-isolation container' })]
        : []),
      ...(mcp.enabled && mcp.pinning === 'warn'
        ? [warn('tools that change after their approval stay allowed', { advice: 'start with --mcp-pinning refuse' })]
        : []),
    ]
    return verdicts.length === 0 ? [pass(`mode ${mode}`)] : verdicts
  },
}
