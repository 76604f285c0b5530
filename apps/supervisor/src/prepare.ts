// Prepares a start before any process runs: state, keys, runtime directory, and boot documents.
import { exits } from '@gatehouse/contracts'
import { getUnitId, type Logger, type Metrics, Refusal } from '@gatehouse/kernel'
import { type Birth, createEdgeSecrets, createRoster, createRunnerRoster, type Secrets, type Unit } from './children/roster.ts'
import { type Epochs, loadEpochs, subkeysOfAll } from './keys/keyring.ts'
import { readRunnerCredential, writeRunnerCredential } from './keys/runner-credential.ts'
import type { Printer, Redactor } from './log-printer.ts'
import { secretsOf } from './plan/channels.ts'
import { sweep } from './plan/cleanup.ts'
import { openInstallation, prepareSample } from './plan/installation.ts'
import type { Plan } from './plan/plan.ts'
import { openHalf, openRunDirectory, type RunDirectory } from './plan/run-directory.ts'
import { type NewToken, resolveToken } from './plan/token.ts'

export interface UnitOptions {
  readonly plan: Plan
  readonly env: Readonly<Record<string, string | undefined>>
  /** Directory of the bundles. */
  readonly release: string
  readonly log: Logger
  readonly metrics: Metrics
  readonly printer: Printer
  readonly redactor: Redactor
  /** Resolves when somebody asks for the end, which may be before all processes run. */
  readonly ended: Promise<void>
}

export interface Prepared {
  readonly runDirectory: RunDirectory
  readonly births: readonly Birth[]
  readonly secretOf: (edge: { readonly name: string }) => string
  /** Absent in the half that has no master key. */
  readonly whole?: { readonly unit: Unit; readonly epochs: Epochs }
  /** Minted and not shown yet. */
  readonly newToken?: NewToken
}

const ask =
  (secrets: Secrets): Prepared['secretOf'] =>
  (edge) =>
    secrets(edge)[edge.name] ?? ''

const isRoot = (): boolean => process.getuid?.() === 0

const openPlace = async ({ plan, env }: UnitOptions, installation: string) => {
  const { stateDir, split } = plan
  const identity = { installation, stateDir, unitId: getUnitId(stateDir, installation) }
  const runDirectory = split === null ? await openRunDirectory(identity, env) : await openHalf(split, identity)
  const { path: runDir, formerUnitIds } = runDirectory
  return { runDirectory, place: { installation, unitId: identity.unitId, runDir, formerUnitIds } }
}

const prepareWithKeys = async (options: UnitOptions): Promise<Prepared> => {
  const { plan, release, log, redactor } = options
  const { stateDir, split } = plan
  const installation = await openInstallation(stateDir, plan.mode)
  const epochs = await loadEpochs(stateDir, plan.masterKeyFile)
  const keys = subkeysOfAll(epochs)
  const token = await resolveToken(plan)
  const { epoch: _epoch, formerSecrets, formerLogins, ...subkeys } = keys
  for (const subkey of [...Object.values(subkeys), ...formerSecrets, ...formerLogins]) redactor.add(subkey)
  if (token.value !== null) redactor.add(token.value)
  const { runDirectory, place } = await openPlace(options, installation)
  const unit: Unit = {
    plan,
    ...place,
    release,
    keys,
    token: token.value,
    isRoot: isRoot(),
    sampleCommand: await prepareSample(plan, release, log),
  }
  const secrets = createEdgeSecrets(split === null ? {} : await writeRunnerCredential({ stateDir, installation }, epochs))
  return {
    runDirectory,
    births: createRoster(unit, secrets),
    secretOf: ask(secrets),
    whole: { unit, epochs },
    ...(token.newToken !== undefined && { newToken: token.newToken }),
  }
}

const needRoot = (): void => {
  if (isRoot()) return
  throw new Refusal(exits.noPermission, {
    detail: 'expected to be root, got another user: sandboxes have host ids, limits and disks of their own',
    hint: 'start --only runner as root, and --only control as anybody else',
  })
}

const prepareRunner = async (options: UnitOptions): Promise<Prepared> => {
  const { plan, env, release, redactor } = options
  needRoot()
  const credential = await readRunnerCredential(env['CREDENTIALS_DIRECTORY'])
  redactor.add(credential.queues)
  const { queues, edges, stateDir: otherState } = credential
  const installation = await openInstallation(plan.stateDir, plan.mode, credential.installation)
  const secrets = createEdgeSecrets(edges)
  const { runDirectory, place } = await openPlace(options, installation)
  const births = createRunnerRoster({ plan, ...place, release, keys: { queues }, isRoot: true, otherState }, edges)
  return { runDirectory, births, secretOf: ask(secrets) }
}

/** The caller holds the lock of the state directory. */
export const prepare = async (options: UnitOptions): Promise<Prepared> => {
  const { plan, redactor } = options
  await sweep(plan.stateDir)
  if (plan.outbound.proxy !== null) redactor.add(plan.outbound.proxy)
  for (const secret of secretsOf(plan.channels)) redactor.add(secret)
  for (const { key } of plan.models) if (key !== null) redactor.add(key)
  return plan.split?.only === 'runner' ? prepareRunner(options) : prepareWithKeys(options)
}
