// Requests that do not fit: each of a valid one, spoilt in one place.
import { fc } from '@gatehouse/testkit/random'
import type { Asked } from '../fixtures/operations.ts'

/** Planted where values go: no answer may hold it. No id has its form, since some of those come back. */
export const canary = 'hunter2!planted!secret'

const hostileText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '..',
    '../..',
    '%00',
    '\u0000',
    '\u202e',
    '\ud800',
    '__proto__',
    'constructor',
    canary,
    `${canary}\n`,
    '*',
    "' OR 1=1 --",
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(1_000, 5_000).map((length) => 'x'.repeat(length)),
)
/** A refusal names the member that does not fit, so names are no secrets. */
const hostileName = hostileText.filter((text) => !text.includes(canary))
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    [],
    {},
    [[]],
    [canary],
    { value: canary },
    { __proto__: null },
  ),
  fc.jsonValue({ maxDepth: 4 }),
)

type Container = Record<string, unknown>
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

const containersOf = (value: unknown): Container[] => (isContainer(value) ? [value, ...Object.values(value).flatMap(containersOf)] : [])

/** One member of the body becomes another, goes, or is joined by one that nobody knows. */
const spoilBody = (body: string): fc.Arbitrary<string> =>
  fc
    .record({
      at: fc.nat(),
      member: fc.nat(),
      act: fc.constantFrom('replace', 'remove', 'add', 'whole'),
      name: hostileName,
      value: hostileValue,
    })
    .map(({ at, member, act, name, value }) => {
      const document: unknown = JSON.parse(body)
      const containers = containersOf(document)
      const container = containers[at % Math.max(1, containers.length)]
      if (act === 'whole' || container === undefined) return JSON.stringify(value) ?? ''
      const keys = Object.keys(container)
      const key = keys[member % Math.max(1, keys.length)]
      if (act === 'add' || key === undefined)
        Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true })
      else if (act === 'replace') container[key] = value
      else delete container[key]
      return JSON.stringify(document)
    })

/** Text that is no JSON, or JSON of a kind that parsers differ about. */
const spoilText = (body: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc.nat({ max: Math.max(0, body.length - 1) }).map((end) => body.slice(0, end)),
    fc.constantFrom(
      '',
      'NaN',
      `\ufeff${body}`,
      `${body}${body}`,
      body.replace('{', '{"__proto__":{"polluted":1},'),
      body.replace('{', '{"constructor":{"prototype":{"polluted":1}},'),
      body.replace('{', `{"kind":"${canary}","kind":"persona",`),
      '{"a":1e400}',
      '['.repeat(100_000),
      `{"a":${'['.repeat(63)}${']'.repeat(63)}}`,
      '"\\ud800"',
      canary,
    ),
  )

const headerNames = [
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'content-type',
  'content-encoding',
  'x-request-id',
  'traceparent',
  'x-forwarded-for',
  'accept',
  'x-http-method-override',
] as const
const headerText = fc.oneof(
  fc.constantFrom(
    '',
    '*',
    '"',
    '"x"',
    'W/"x"',
    '"a","b"',
    `"${'ab'.repeat(32)}"`,
    'gzip',
    'text/plain',
    'application/json; charset=utf-16',
    '-1',
    '9'.repeat(40),
    '00-0-0-0',
    'a, b',
    canary,
    '<script>',
  ),
  fc.stringMatching(/^[ -~]{0,80}$/),
)
const spoilHeaders = (headers: Asked['headers']): fc.Arbitrary<Asked['headers']> =>
  fc.record({ name: fc.constantFrom(...headerNames), value: headerText }).map(({ name, value }) => ({ ...headers, [name]: value }))

const spoilPath = (path: string): fc.Arbitrary<string> =>
  fc
    .record({ at: fc.nat(), name: hostileName, text: hostileText, act: fc.constantFrom('segment', 'query', 'twice') })
    .map(({ at, name, text, act }) => {
      const [unknown, encoded] = [name, text].map((one) => encodeURIComponent(one.toWellFormed())) as [string, string]
      const [bare = '', search = ''] = path.split('?')
      if (act === 'twice' && search !== '') return `${path}&${search}`
      if (act !== 'segment') return `${path}${search === '' ? '?' : '&'}${['limit', 'cursor', 'agentGroupID', unknown][at % 4]}=${encoded}`
      const segments = bare.split('/')
      segments[1 + (at % Math.max(1, segments.length - 1))] = encoded
      return `${segments.join('/')}${search === '' ? '' : `?${search}`}`
    })

/** The path keeps its route, but for segments: those may name another, so such a request is judged by its route's own words. */
export const spoil = (asked: Asked): fc.Arbitrary<Asked> =>
  fc.oneof(
    spoilHeaders(asked.headers).map((headers) => ({ ...asked, headers })),
    spoilPath(asked.path).map((path) => ({ ...asked, path })),
    ...(asked.body === undefined
      ? [
          hostileText.map((body) =>
            asked.method === 'GET' ? asked : { ...asked, body, headers: { ...asked.headers, 'content-type': 'application/json' } },
          ),
        ]
      : [
          { weight: 4, arbitrary: spoilBody(asked.body).map((body) => ({ ...asked, body })) },
          spoilText(asked.body).map((body) => ({ ...asked, body })),
        ]),
  )
