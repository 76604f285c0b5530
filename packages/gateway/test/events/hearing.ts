// What a unit tells its neighbours, in words short enough for a test.
import { type Change, ChangeID, type News, type Submitted } from '@gatehouse/contracts'
import * as v from 'valibot'
import { token } from '../fixtures/people.ts'
import { putServer } from '../fixtures/tools.ts'
import { context, type Heard, type Unit } from '../fixtures/unit.ts'

export const newsIn = (heard: readonly Heard[]): News[] =>
  heard.filter(({ event }) => event === 'news').flatMap(({ payload }) => (payload as { items: News[] }).items)

/** Everything but news. */
export const calls = (heard: readonly Heard[]): string[] =>
  heard.filter(({ event }) => event !== 'news').map(({ by, event, payload }) => `${by} ${event} ${JSON.stringify(payload)}`)

/** In the order in which it was heard: the stages of news, and events by who hears them. */
export const sequence = (heard: readonly Heard[]): string[] =>
  heard.map(({ by, event, payload }) =>
    event === 'news' ? `news ${(payload as { items: News[] }).items.map(({ stage }) => stage).join(' ')}` : `${by} ${event}`,
  )

/** What is heard during an act. */
export const during = async (unit: Unit, act: () => Promise<unknown>): Promise<Heard[]> => {
  unit.heard.length = 0
  await act()
  return [...unit.heard]
}

export const allNews = async ({ gateway }: Unit, presented = token): Promise<News[]> =>
  (await gateway.controlPlane.news({ token: presented, after: 0, limit: 100_000 }, context)).items

type Asked = readonly [kind: string, after: unknown, reason?: string | undefined]

/** An agent asks through its own session. */
export const ask = ({ gateway }: Unit, session: string, [kind, after, reason]: Asked): Promise<Submitted> =>
  Promise.resolve(gateway.runner.submitFor({ session: session as never, kind, after, reason }, context))

let servers = 0

/** One that the same group may make each time: of a server that nobody asked for yet. */
export const askForAccess = async (unit: Unit, session: string, reason?: string): Promise<Submitted> => {
  const name = `server-${(servers += 1)}`
  await putServer(unit, name)
  return ask(unit, session, ['mcp_access', { server: name, tools: ['echo'] }, reason])
}

/** What the sessions were told of their requests. */
export const decisionsIn = (heard: readonly Heard[]) =>
  heard
    .filter(({ event }) => event === 'change-decided')
    .map(({ payload }) => payload as { session: string; id: string; state: string; kind: string; reason?: string })

export const withdraw = ({ gateway }: Unit, id: string): Promise<Change> =>
  Promise.resolve(gateway.controlPlane.withdraw({ token, id: v.parse(ChangeID, id) }, context))
