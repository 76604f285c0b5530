// What node:test prints for people, and at its end each reason for which tests were skipped, with how many and the first of them.
import { Readable } from 'node:stream'
import { spec } from 'node:test/reporters'
import type { TestEvent } from 'node:test/reporters'

interface Skipped {
  readonly first: string
  readonly count: number
}

export type Skips = Map<string, Skipped>

const noteSkip = (skips: Skips, { type, data }: TestEvent): void => {
  if (type !== 'test:pass' || data.skip === undefined || data.skip === false) return
  const reason = data.skip === true || data.skip === '' ? 'no reason is given' : data.skip
  const before = skips.get(reason)
  skips.set(reason, { first: before?.first ?? data.name, count: (before?.count ?? 0) + 1 })
}

export const describeSkips = (skips: Skips): string =>
  skips.size === 0
    ? '\nNothing was skipped.\n'
    : `\nSkipped:\n${[...skips].map(([reason, { first, count }]) => `  ${reason}: "${first}"${count === 1 ? '' : ` and ${count - 1} more`}\n`).join('')}`

async function* noting(events: AsyncIterable<TestEvent>, skips: Skips): AsyncGenerator<TestEvent> {
  for await (const event of events) {
    noteSkip(skips, event)
    yield event
  }
}

// oxlint-disable-next-line import/no-default-export -- node:test takes the default export of a reporter
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const skips: Skips = new Map()
  for await (const text of Readable.from(noting(events, skips)).compose(spec())) yield String(text)
  yield describeSkips(skips)
}
