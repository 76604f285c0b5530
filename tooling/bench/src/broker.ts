// What a tool call costs: directly, over an empty hop, through `tools.sock`, and through programs of others, in one run.
// `pnpm bench broker [--quick]`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, waitFor } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import { measureBeside } from './broker/beside.ts'
import { directClient, emptyHop } from './broker/direct.ts'
import { measureHostile } from './broker/hostile.ts'
import { type Effort, measureLevels } from './broker/levels.ts'
import { mcpHub, mcpProxy, supergateway } from './broker/peers.ts'
import { type BenchUnit, grant, openUnit, throughBroker } from './broker/unit.ts'
import { sample, type Way } from './broker/way.ts'

const efforts: Readonly<Record<'quick' | 'whole', Effort>> = {
  quick: { warmUp: 2_000, count: 1_000, rounds: 2 },
  whole: { warmUp: 15_000, count: 4_000, rounds: 3 },
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const compare = async (title: string, ways: readonly Way[], effort: Effort): Promise<object> => {
  say(`\n== ${title}`)
  try {
    return await measureLevels(ways, effort)
  } finally {
    for (const way of ways) await way.close()
  }
}

const overStdio = async (unit: BenchUnit, folder: string, effort: Effort): Promise<object> => {
  await grant(unit.unit, 'sample')
  const ours = [await directClient(), await emptyHop(folder), throughBroker(unit, 'sample')]
  return compare('a local server, over stdio', [...ours, await mcpHub(folder), await mcpProxy(folder), await supergateway(folder)], effort)
}

const overRemote = async (unit: BenchUnit, folder: string, effort: Effort): Promise<object> => {
  const port = await freePort()
  const server = execa(process.execPath, [sample, '--http', `:${port}`], { stdio: 'ignore', reject: false })
  const url = `http://127.0.0.1:${port}/mcp`
  try {
    await waitFor('the sample server', 30_000, async () => (await fetch(url)).status > 0)
    await unit.unit.client.servers.put('remote', { transport: 'http', url })
    await grant(unit.unit, 'remote')
    const ways = [await directClient(url), await emptyHop(folder), throughBroker(unit, 'remote'), await mcpHub(folder, url)]
    return await compare('a remote server, over HTTP', ways, effort)
  } finally {
    server.kill('SIGTERM')
    await server
  }
}

export const run = async (args: readonly string[] = []): Promise<object> => {
  const effort = efforts[args.includes('--quick') ? 'quick' : 'whole']
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  const unit = await openUnit()
  try {
    const stdio = await overStdio(unit, folder, effort)
    const http = await overRemote(unit, folder, effort)
    say('\n== beside others')
    const beside = await measureBeside(unit, effort.count)
    say('\n== beside servers that misbehave, a fault a second')
    return { stdio, http, beside, hostile: await measureHostile(unit, effort.count / 2) }
  } finally {
    await unit.unit.dispose()
    await rm(folder, { recursive: true, force: true })
  }
}
