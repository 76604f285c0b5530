// Sixty tool servers, each with one fault: the call gets a named code, a neighbour's call is answered, nothing stays behind.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { limits, type ServerName, type SessionID, type ToolResult } from '@gatehouse/contracts'
import { waitFor } from '@gatehouse/kernel'
import { type Bench, createBench, group, local, sessionTwo } from '../fixtures/bench.ts'
import { processesOf } from '../fixtures/processes.ts'

const fixtures = join(import.meta.dirname, '../fixtures/hostile')
const nothing = 'f'.repeat(64)

/** Undefined: the fault spoils nothing of the call itself. */
const onStreams: Readonly<Record<string, string | undefined>> = {
  'never-answers': 'timeout',
  'dies-mid-call': 'server-unavailable',
  'dies-at-the-start': 'server-unavailable',
  'silent-from-the-start': 'timeout',
  'floods-stdout': undefined,
  'line-of-100-MB': 'too-large',
  'line-without-end': 'too-large',
  'invalid-json': 'timeout',
  'wrong-ids': 'timeout',
  'half-a-line-at-its-end': 'server-unavailable',
  'closes-its-output-and-lives': 'timeout',
  'closes-its-input-and-lives': 'timeout',
  'list-of-very-many-messages': undefined,
  'pings-without-end': undefined,
  'stderr-flood': undefined,
  'reads-no-more': 'timeout',
  'answers-twice': undefined,
  'error-with-a-long-text': 'upstream-error',
  'error-that-is-none': 'upstream-error',
  'result-is-null': 'upstream-error',
  'result-of-an-unknown-type': 'upstream-error',
  'result-too-deep': 'too-large',
  'content-is-no-list': undefined,
  'names-of-prototypes': undefined,
  'asks-for-a-model': undefined,
  'bytes-that-are-no-text': undefined,
  'duplicate-tools': undefined,
  '10000-tools': 'server-unavailable',
  'schema-in-a-circle': undefined,
  'pages-without-end': 'server-unavailable',
  'changes-definitions': 'definition-changed',
  'list-is-none': 'server-unavailable',
  'declares-another-tool': 'not-declared',
  'revision-of-tomorrow': 'server-unavailable',
  'refuses-to-begin': 'server-unavailable',
  'stays-at-sigterm': undefined,
  'forks-away': undefined,
}
const overHttp: Readonly<Record<string, string | undefined>> = {
  'redirects-to-metadata': 'server-unavailable',
  'redirects-to-itself': 'server-unavailable',
  'redirects-to-a-file': 'server-unavailable',
  'drips-events': 'timeout',
  'event-without-end': 'too-large',
  'body-without-end': 'too-large',
  'gzip-bomb': 'upstream-error',
  'asks-who-you-are': 'server-unavailable',
  'forbids-it': 'server-unavailable',
  'lies-about-its-length': 'server-unavailable',
  'cuts-the-connection': 'server-unavailable',
  'answers-with-a-page': 'upstream-error',
  'answers-with-500': 'upstream-error',
  'never-begins-to-answer': 'timeout',
  'header-of-a-megabyte': 'upstream-error',
  'header-split-in-two': 'upstream-error',
  'stream-that-says-nothing': 'server-unavailable',
  'flood-of-events': undefined,
  'flood-of-carriage-returns': undefined,
  'event-without-end-to-be-asked-for-again': 'too-large',
  'accepts-a-call-and-no-more': 'timeout',
  'answers-a-call-with-nothing': 'upstream-error',
  'answers-nobody': 'upstream-error',
  'length-that-is-none': 'upstream-error',
  'silent-when-asked-for-its-revision': undefined,
  'answers-another-request': 'timeout',
  'endless-stream-with-500': 'upstream-error',
  'endless-stream-with-202': 'timeout',
  'endless-stream-to-get-405': undefined,
  'endless-stream-to-our-pong': undefined,
  'list-of-very-many-messages-at-once': 'too-large',
}
const faults: Readonly<Record<string, string | undefined>> = { ...onStreams, ...overHttp }

/** Nothing is the matter, but that no text comes. */
const wordless: ReadonlySet<string> = new Set(['content-is-no-list'])
/** Tried beside the others, and not before one of them. */
const takesLong: ReadonlySet<string> = new Set(['silent-when-asked-for-its-revision'])

/** As long as a busy machine may need to start a server; less for those that never answer, which are waited for together. */
const [callTime, waitingTime] = [20_000, 8_000]
const mostKept = 64 * 1024 * 1024
/** Fifty programs on a busy machine. */
const timeout = 280_000
const sessions = ['c', 'd', 'e'].map((letter) => `ses_${letter.repeat(13)}` as SessionID)

interface Seen {
  readonly answer: ToolResult
  readonly neighbour: ToolResult
}

const collect = (): number => {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  const { heapUsed, arrayBuffers, external } = process.memoryUsage()
  return heapUsed + arrayBuffers + external
}

const isSlow = (fault: string): boolean => faults[fault] === 'timeout'

/** A broker with a good server and these, each session of which may call each of them. */
const openBench = async (names: readonly string[], { port, time }: { port: string; time: number }): Promise<Bench> => {
  const bench = await createBench()
  const entryOf = (fault: string): object =>
    fault in onStreams
      ? { ...local(), args: [join(fixtures, 'stdio.ts'), fault] }
      : { transport: 'http', url: `http://127.0.0.1:${port}/${fault}` }
  bench.gateway.catalog = { good: local(), ...Object.fromEntries(names.map((fault) => [fault.toLowerCase(), entryOf(fault)])) }
  bench.gateway.grants = { [sessionTwo]: { good: [] } }
  for (const session of sessions) bench.gateway.grants[session] = Object.fromEntries(names.map((fault) => [fault.toLowerCase(), []]))
  bench.gateway.sessions.push(...sessions.map((session) => ({ session, agentGroupID: group })))
  bench.gateway.pins = { 'changes-definitions': { go: nothing } }
  await bench.start({ callTime: time, level: 'error' })
  await bench.call('good__echo', { text: 'first' }, sessionTwo)
  return bench
}

suite('hostile tool servers', { timeout }, () => {
  let bench: Bench
  /** Of those that never answer. */
  let patient: Bench
  let program: ChildProcess
  const seen = new Map<string, Seen>()
  const takenWhole: string[] = []
  let grown = 0

  const tryFault = async (fault: string, at: number): Promise<void> => {
    const own = isSlow(fault) ? patient : bench
    const answer = own.call(`${fault.toLowerCase()}__go`, { text: 'a' }, sessions[at % sessions.length])
    const neighbour = await own.call('good__echo', { text: fault }, sessionTwo)
    seen.set(fault, { answer: await answer, neighbour })
  }

  before(
    async () => {
      program = spawn(process.execPath, [join(fixtures, 'http.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
      const lines = createInterface({ input: program.stdout ?? process.stdin })
      const [port] = (await once(lines, 'line')) as [string]
      lines.on('line', (line) => takenWhole.push(line))
      const [slow, quick] = [Object.keys(faults).filter(isSlow), Object.keys(faults).filter((fault) => !isSlow(fault))]
      patient = await openBench(slow, { port, time: waitingTime })
      bench = await openBench(quick, { port, time: callTime })
      const start = collect()
      const [lengthy, hasty] = [quick.filter((fault) => takesLong.has(fault)), quick.filter((fault) => !takesLong.has(fault))]
      const work = async (): Promise<void> => {
        for (let fault = hasty.shift(); fault !== undefined; fault = hasty.shift()) await tryFault(fault, 0)
      }
      await Promise.all([...slow.map(tryFault), ...lengthy.map((fault) => tryFault(fault, 1)), work(), work(), work()])
      // What they still send is let go of a moment later.
      for (let turn = 0; turn < 60 && (grown = collect() - start) >= mostKept; turn += 1) await pause(500)
    },
    { timeout },
  )
  after(async () => {
    program.stdin?.end()
    for (const each of [bench, patient]) await each.stop()
  })

  for (const [fault, code] of Object.entries(faults))
    test(`${fault}: ${code ?? 'harms nothing'}`, () => {
      const { answer, neighbour } = seen.get(fault) ?? assert.fail('it was not tried')
      assert.equal(answer.error?.code, code)
      if (code === undefined)
        assert.deepEqual(answer, { content: wordless.has(fault) ? [] : [{ type: 'text', text: 'fine' }], isError: false })
      assert.deepEqual(neighbour.content, [{ type: 'text', text: fault }])
      assert.doesNotMatch(JSON.stringify(answer), /marker-of-the-server/)
      assert.ok(JSON.stringify(answer).length < 8 * 1024)
    })

  test('every one of their calls has its record', async () => {
    const count = Object.keys(faults).filter(isSlow).length
    const records = [
      ...(await patient.settledRecords(2 * count + 1)),
      ...(await bench.settledRecords(2 * (Object.keys(faults).length - count) + 1)),
    ]
    const named = Object.entries(faults).map(([fault, code]) => `${fault.toLowerCase()} ${code ?? 'none'}`)
    const found = records.filter(({ server }) => server !== 'good').map(({ server, code }) => `${server} ${code ?? 'none'}`)
    assert.deepEqual(found.toSorted(), named.toSorted())
  })

  test('what a server writes to its stderr is kept up to a bound, and its last words are there', () => {
    const context = { requestId: 'r', traceparent: undefined, signal: new AbortController().signal }
    const { items } = bench.broker.controlPlane.logs({ name: 'stderr-flood' as ServerName }, context) as { items: { text: string }[] }
    assert.equal(items.at(-1)?.text, 'short')
    assert.ok(items.reduce((sum, { text }) => sum + text.length, 0) <= limits.serverLogs)
    assert.ok(items.some(({ text }) => text === '(a line too long to be kept)'))
  })

  test('no answer without end is taken beyond its bound, whatever it says that it is', () => assert.deepEqual(takenWhole, []))

  test('the memory that they took is given back', () => {
    assert.ok(grown < mostKept, `${Math.round(grown / 1024 / 1024)} MiB more than before`)
  })

  test('none of their processes outlives the broker', async () => {
    for (const { directory, broker } of [bench, patient]) {
      assert.ok((await processesOf(directory)).length > 0)
      await broker.stop()
      // What the kernel ends with its namespace ends a moment later.
      await waitFor(async () => (await processesOf(directory)).length === 0, { what: 'the end of all processes' })
    }
  })
})
