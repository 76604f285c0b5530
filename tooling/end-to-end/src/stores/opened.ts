// The stores of a unit opened in this process, each by the code that opens it in its own: what a start finds.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type gatewayRunner, Mode, stateFiles } from '@gatehouse/contracts'
import type { Driver } from '@gatehouse/engine'
import { createGateway, type Gateway, migrations } from '@gatehouse/gateway'
import { CallLog, openHeldJournal, openRecords, type Records } from '@gatehouse/journal'
import { createMetrics, deriveKey, parseKeyring, sha256, silentLogger } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import { createRunner, type Runner } from '@gatehouse/runner'
import { openStore } from '@gatehouse/store'
import { plainGatewayBoot } from '@gatehouse/testkit/gateway-boot'
import * as v from 'valibot'

export const token = sha256('the administrator of the check')
export const context = { requestId: 'check', traceparent: undefined, signal: new AbortController().signal }

export interface Opened {
  readonly dir: string
  readonly gateway: Gateway
  readonly runner: Runner
  readonly records: Records
  readonly calls: CallLog
  close(): Promise<void>
}

/** One after the other, whatever becomes of each; the first failure is told. */
const allOf = async (acts: readonly (() => Promise<void>)[]): Promise<void> => {
  const failures: unknown[] = []
  for (const act of acts) await act().catch((error: unknown) => void failures.push(error))
  if (failures.length > 0) throw failures[0]
}

const StateFile = v.object({ installation: v.string(), mode: Mode })

const read = (dir: string, name: string): Promise<string> => readFile(join(dir, name), 'utf8')

/** Throws for whatever would keep the unit from its start. */
const boot = async (dir: string) => {
  const { installation } = v.parse(StateFile, JSON.parse(await read(dir, stateFiles.state)))
  const [first] = parseKeyring(await read(dir, stateFiles.keyring)) ?? []
  if (first === undefined) throw new Error('the keyring cannot be read')
  const key = (purpose: string): string => deriveKey(first.key, purpose, first.epoch).toString('hex')
  return { installation, keys: { database: key('database'), journal: key('journal'), secrets: key('secrets'), queues: key('queues') } }
}

/** Everything but `--dev`, which would begin its groups anew. */
const gatewayOf = async (dir: string, keys: Awaited<ReturnType<typeof boot>>['keys']) => {
  const store = await openStore({ path: join(dir, stateFiles.database), key: keys.database, migrations })
  const journal = await openHeldJournal({
    path: join(dir, stateFiles.audit),
    publicKeyPath: join(dir, stateFiles.journalKey),
    seed: Buffer.from(keys.journal, 'hex'),
    epoch: 1,
    log: silentLogger,
  })
  const gateway = await createGateway({
    boot: {
      ...plainGatewayBoot(dir),
      keys: { ...keys, epoch: 1, formerSecrets: [] },
      adminToken: token,
    },
    store,
    journal,
    log: silentLogger,
    metrics: createMetrics('gateway'),
    evidenceWait: 0,
    treeWait: 0,
    driftPause: 0,
  })
  const nobody = { publish: () => undefined }
  gateway.subscribers.subscribe({ controlPlane: nobody, broker: nobody, runner: nobody })
  await gateway.start()
  return {
    gateway,
    close: () => allOf([() => gateway.stop(), () => journal.close(), () => store.close()]),
  }
}

const stopped = { code: null, signal: null, reason: 'stopped' } as const

/** Takes messages, and runs nobody who could answer them. */
const silentDriver: Driver = {
  name: 'none',
  engine: 'nothing',
  kernel: 'host',
  processBound: 'group',
  missing: [],
  owner: () => undefined,
  prepare: async (rootfs) => rootfs,
  prepareImage: async (image) => image,
  reconcile: async () => 0,
  launch: async ({ id }) => {
    const end = Promise.withResolvers<typeof stopped>()
    if (!id.startsWith('ses_')) end.resolve(stopped)
    const stop = async () => (end.resolve(stopped), stopped)
    return { exited: end.promise, output: (async function* () {})(), stop, usage: async () => null }
  },
}

/** It asks the gateway. */
const runnerOf = async (dir: string, { installation, keys }: Awaited<ReturnType<typeof boot>>, gateway: Gateway): Promise<Runner> => {
  const calls = Object.fromEntries(
    Object.entries(gateway.runner).map(([name, handle]) => [name, async (params: never) => handle(params, context)]),
  ) as unknown as Calls<typeof gatewayRunner>
  return createRunner({
    unitId: installation,
    leftovers: {
      unitIds: [installation],
      engines: { add: async () => undefined, list: async () => [] },
      remove: async () => undefined,
      clear: async () => true,
    },
    stateDir: dir,
    runDir: join(dir, 'run'),
    wrapping: Buffer.from(keys.queues, 'hex'),
    sandbox: 'none',
    mode: 'dev',
    image: null,
    imageKey: null,
    groupDisks: null,
    rootfs: '/nowhere',
    registry: 'http://127.0.0.1:9/',
    mountAllow: [],
    identities: null,
    ownAddress: '127.0.0.1:1',
    outbound: { proxy: null, noProxy: [], authorities: null },
    chooseDriver: async () => ({ driver: silentDriver }),
    connect: () => ({ calls, close: () => undefined }),
    log: silentLogger,
    metrics: createMetrics('runner'),
  })
}

export const openStores = async (dir: string): Promise<Opened> => {
  const started = await boot(dir)
  const { gateway, close } = await gatewayOf(dir, started.keys)
  const runner = await runnerOf(dir, started, gateway)
  const records = await openRecords({ path: join(dir, stateFiles.calls) })
  return {
    dir,
    gateway,
    runner,
    records,
    calls: new CallLog({ records, onUnwritable: () => undefined }),
    close: () => allOf([() => records.close(), () => runner.stop().then(() => undefined), close]),
  }
}
