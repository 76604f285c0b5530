// What a start makes ready before any process runs: state, keys, runtime directory, and who is told what.
import { join } from 'node:path'
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'
import { type Birth, createEdgeSecrets, createRoster, createRunnerRoster, type Secrets, type Unit } from './children/roster.ts'
import { type Epochs, loadEpochs, subkeysOfAll } from './keys/keyring.ts'
import { readRunnerCredential, writeRunnerCredential } from './keys/runner-credential.ts'
import { secretsOf } from './plan/channels.ts'
import { openInstallation } from './plan/installation.ts'
import { openHalf, openRunDirectory } from './plan/run-directory.ts'
import { sweep } from './plan/sweep.ts'
import { type NewToken, resolveToken } from './plan/token.ts'
import type { UnitOptions } from './unit-options.ts'

export interface Prepared {
  readonly runDir: string
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

const prepareWithKeys = async ({ plan, env, release, redactor }: UnitOptions): Promise<Prepared> => {
  const { stateDir, split } = plan
  const installation = await openInstallation(stateDir, plan.mode)
  const epochs = await loadEpochs(stateDir, plan.masterKeyFile)
  const keys = subkeysOfAll(epochs)
  const token = await resolveToken(plan)
  for (const subkey of [keys.database, keys.journal, keys.secrets, keys.queues, ...keys.formerSecrets]) redactor.add(subkey)
  if (token.value !== null) redactor.add(token.value)
  const unit: Unit = {
    plan,
    installation,
    runDir: split === null ? await openRunDirectory(installation, env) : await openHalf(split),
    release,
    keys,
    token: token.value,
    isRoot: isRoot(),
    sampleCommand: plan.mode === 'dev' ? { command: process.execPath, args: [join(release, 'mcp-sample.mjs')] } : null,
  }
  const secrets = createEdgeSecrets(split === null ? {} : await writeRunnerCredential({ stateDir, installation }, epochs))
  return {
    runDir: unit.runDir,
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

const prepareRunner = async (options: UnitOptions, split: NonNullable<UnitOptions['plan']['split']>): Promise<Prepared> => {
  const { plan, env, release, redactor } = options
  needRoot()
  const credential = await readRunnerCredential(env['CREDENTIALS_DIRECTORY'])
  redactor.add(credential.queues)
  const { queues, edges, stateDir: otherState } = credential
  const installation = await openInstallation(plan.stateDir, plan.mode, credential.installation)
  const secrets = createEdgeSecrets(edges)
  const runDir = await openHalf(split)
  const births = createRunnerRoster({ plan, installation, runDir, release, keys: { queues }, isRoot: true, otherState }, edges)
  return { runDir, births, secretOf: ask(secrets) }
}

/** The caller holds the lock of the state directory. */
export const prepare = async (options: UnitOptions): Promise<Prepared> => {
  const { plan, redactor } = options
  await sweep(plan.stateDir)
  if (plan.outbound.proxy !== null) redactor.add(plan.outbound.proxy)
  for (const secret of secretsOf(plan.channels)) redactor.add(secret)
  for (const { key } of plan.models) if (key !== null) redactor.add(key)
  return plan.split?.only === 'runner' ? prepareRunner(options, plan.split) : prepareWithKeys(options)
}
