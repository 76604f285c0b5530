// Turns settings into a plan, by the rules of the unit's mode.
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { exits, imageReference, type Mode, stateFiles } from '@gatehouse/contracts'
import { readSettings, Refusal, type Settings } from '@gatehouse/kernel'
import { readChannels } from './channels.ts'
import { checkEffect, clientVariables, table } from './flags.ts'
import { readImage } from './image.ts'
import { readModels } from './models.ts'
import { readOutbound } from './outbound.ts'
import { parseAddress } from './settings/parse.ts'
import type { Plan } from './plan.ts'
import { checkToken } from './token.ts'
import { checkEnvFile, referenceable } from './variables.ts'

type Values = Settings<typeof table>['values']
type Env = Readonly<Record<string, string | undefined>>

const refuse = (detail: string, hint: string): Refusal => new Refusal(exits.configuration, { detail, hint })

const chooseMode = ({ dev, demo }: Values): Mode => {
  if (dev && demo) throw refuse('expected --dev or --demo, got both', 'choose one')
  if (dev) return 'dev'
  return demo ? 'demo' : 'production'
}

const defaultState = (mode: Mode, env: Env): string =>
  mode === 'production'
    ? '/var/lib/gatehouse/state'
    : join(env['XDG_STATE_HOME'] ?? join(env['HOME'] ?? homedir(), '.local/state'), `gatehouse-${mode}`)

const chooseIsolation = (mode: Mode, { mcpIsolation }: Values): Plan['isolation'] => mcpIsolation ?? (mode === 'dev' ? 'none' : 'container')

const chooseToolContainers = ({ mcpEngine, mcpRuntime, mcpImage }: Values): Plan['toolContainers'] => {
  if (mcpImage !== undefined && !imageReference.test(mcpImage))
    throw refuse(`--mcp-image: expected an image reference that does not begin with -, got "${mcpImage}"`, 'name it as the engine lists it')
  if (mcpRuntime !== undefined && !/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(mcpRuntime))
    throw refuse(`--mcp-runtime: expected the name of an OCI runtime such as runsc, got "${mcpRuntime}"`, 'name it as the engine knows it')
  return { engine: mcpEngine ?? null, runtime: mcpRuntime ?? null, image: mcpImage ?? null }
}

const chooseSandbox = (mode: Mode, { sandbox = 'auto' }: Values): Plan['sandbox'] => {
  if (mode === 'demo' && sandbox === 'auto') return 'container'
  if (mode !== 'dev' && sandbox === 'none') {
    throw refuse(`--sandbox none is only allowed with --dev`, 'take --sandbox container, --sandbox bubblewrap, or --sandbox off')
  }
  return sandbox
}

const chooseEngine = (
  mode: Mode,
  values: Values,
): Pick<Plan, 'sandboxEngine' | 'sandboxRuntime' | 'sandboxImage' | 'imageKey' | 'allowOldEngine' | 'groupDisks'> => ({
  sandboxEngine: values.sandboxEngine ?? null,
  sandboxRuntime: values.sandboxRuntime ?? null,
  ...readImage(mode, values),
  allowOldEngine: values.allowOldEngine,
  groupDisks: values.groupDisks === undefined ? null : resolve(values.groupDisks),
})

export interface Decided {
  readonly plan: Plan
  readonly warnings: readonly string[]
}

const refuseUncheckedCertificates = (env: Env): void => {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return
  throw refuse('NODE_TLS_REJECT_UNAUTHORIZED: expected certificates to be checked, got 0', 'unset it; SERVICE_CA_FILE adds an authority')
}

/** Whom the unit talks to outside, and how. */
const readPeers = (values: Values, env: Env): Pick<Plan, 'outbound' | 'models' | 'channels'> & { warnings: readonly string[] } => {
  const { models, warnings } = readModels(values, env)
  const { channels, warnings: more } = readChannels(env)
  return { outbound: readOutbound(values), models, channels, warnings: [...warnings, ...more] }
}

/** Which half this is, and where the two meet. */
const chooseHalf = ({ only, runDir }: Values, mode: Mode): Plan['split'] => {
  if (only === undefined) {
    if (runDir === undefined) return null
    throw refuse('SERVICE_RUN_DIR: expected --only beside it, got none', 'unset it: a whole unit chooses its runtime directory')
  }
  if (mode !== 'production') throw refuse(`--only: expected a production unit, got --${mode}`, `start without --only, or without --${mode}`)
  const base = resolve(runDir ?? '/run/gatehouse')
  return { only: only === 'control' ? 'control' : 'runner', halves: { control: join(base, 'control'), runner: join(base, 'runner') } }
}

const chooseCatalog = ({ mcpCatalog }: Values, mode: Mode, stateDir: string): string | null => {
  if (mcpCatalog !== undefined) return resolve(mcpCatalog)
  return mode === 'dev' ? join(stateDir, stateFiles.catalog) : null
}

const checkSecrets = ({ envFile, apiToken }: Values, mode: Mode): void => {
  checkEnvFile(envFile)
  if (apiToken !== undefined) checkToken(apiToken, mode)
}

export const decidePlan = (argv: readonly string[], env: Env, version: string): Decided => {
  refuseUncheckedCertificates(env)
  const { values, warnings, origins } = readSettings(table, { argv, env, prefix: 'SERVICE_', foreign: clientVariables })
  const mode = chooseMode(values)
  const stateDir = resolve(values.stateDir ?? defaultState(mode, env))
  checkSecrets(values, mode)
  const { warnings: peerWarnings, ...peers } = readPeers(values, env)
  const plan: Plan = {
    mode,
    version,
    ...parseAddress(values.addr, mode),
    stateDir,
    split: chooseHalf(values, mode),
    logLevel: values.logLevel,
    logFormat: values.logFormat === 'json' ? 'json' : 'plain',
    catalog: chooseCatalog(values, mode, stateDir),
    isolation: chooseIsolation(mode, values),
    toolContainers: chooseToolContainers(values),
    pinning: values.mcpPinning,
    mcpEndpoint: values.mcpEndpoint,
    approvals: values.approvals === '2' ? 2 : 1,
    changeTtl: values.changeTtl,
    mountAllow: values.mountAllow ?? [],
    sandbox: chooseSandbox(mode, values),
    ...chooseEngine(mode, values),
    seed: mode === 'dev' ? 'dev-agent' : mode === 'demo' ? 'mock-agent' : null,
    callsRetention: values.callsRetention,
    chatRetention: values.chatRetention,
    rate: values.rateLimit,
    publicUrls: values.publicUrl ?? [],
    trustedProxies: values.trustedProxies ?? [],
    variables: referenceable(env, values.mcpEnv),
    registry: values.npmRegistry,
    ...peers,
    token: values.apiToken ?? null,
    open: mode === 'dev' && values.apiToken === undefined,
    masterKeyFile: values.masterKeyFile === undefined ? null : resolve(values.masterKeyFile),
  }
  return { plan, warnings: [...warnings, ...peerWarnings, ...checkEffect(plan, origins)] }
}
