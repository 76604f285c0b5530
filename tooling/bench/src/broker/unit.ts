// A whole unit with sessions, servers and grants, and the way through `tools.sock`.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runDirectoryOf, startUnit, type Unit, waitFor } from '@gatehouse/end-to-end'
import { type Ask, overHttp } from './over-http.ts'
import { check, text, type Way } from './way.ts'

/** A session has eight calls in flight: 64 callers are those of eight sessions. */
const sessions = 8

export interface BenchUnit {
  readonly unit: Unit
  readonly sockets: readonly string[]
  readonly brokerPid: number
}

export const grant = async (unit: Unit, server: string): Promise<void> => {
  const { id } = await unit.client.changes.submit({ kind: 'mcp_access', agentGroupID: 'dev-agent', after: { server, tools: [] } })
  await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'bench' })
}

export const openSockets = async (unit: Unit, count = sessions): Promise<BenchUnit> => {
  for (let number = 0; number < count; number += 1)
    await unit.client.chat.send({ agentGroupID: 'dev-agent', conversationId: `bench-${number}`, text: 'hello' })
  const tools = join(await runDirectoryOf(unit), 'tools')
  const names = await waitFor('the sockets of the sessions', 60_000, async () => {
    const found = await readdir(tools)
    return found.length === count ? found : undefined
  })
  return { unit, sockets: names.map((name) => join(tools, name, 'tools.sock')), brokerPid: await unit.pidOf('broker') }
}

export const openUnit = async (): Promise<BenchUnit> =>
  openSockets(await startUnit({ flags: ['--dev', '--sandbox', 'none', '--rate-limit', 'off', '--log-level', 'error'] }))

/** Callers take the sessions by turns. */
export const askInTurn = (sockets: readonly string[], path: string): Ask => {
  const asks = sockets.map((socketPath) => overHttp({ socketPath, path }))
  let turn = 0
  return (sent) => {
    const ask = asks[turn++ % asks.length]
    return ask === undefined ? Promise.reject(new Error('no session has a socket')) : ask(sent)
  }
}

export const throughBroker = ({ sockets, brokerPid }: BenchUnit, server: string): Way => {
  const ask = askInTurn(sockets, '/call')
  const body = JSON.stringify({ name: `${server}__echo`, arguments: { text } })
  return {
    name: 'through tools.sock',
    pid: brokerPid,
    act: async () => {
      const reply = await ask({ body })
      if (!reply.text.includes('"isError":false')) throw new Error(reply.text.slice(0, 200))
      check(reply.text)
    },
    close: async () => undefined,
  }
}
