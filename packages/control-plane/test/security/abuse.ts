// Requests that two parsers may read differently, or that no parser should take: bytes, one by one.

export interface Abuse {
  readonly name: string
  /** Characters are bytes. */
  readonly bytes: string
}

export interface Target {
  readonly host: string
  /** A whole header line. */
  readonly auth: string
}

const eol = '\r\n'

/** What must never be taken for a request of its own. */
const smuggledTo = ({ host, auth }: Target): string => `GET /canary HTTP/1.1${eol}Host: ${host}${eol}${auth}${eol}`

const post = ({ host, auth }: Target, lines: string, body: string): string =>
  `POST /v1/changes HTTP/1.1${eol}Host: ${host}${eol}${auth}Content-Type: application/json${eol}${lines}${eol}${body}`

const codings = [
  'chunked',
  ' chunked',
  'chunked ',
  'Chunked',
  'CHUNKED',
  '\tchunked',
  'chunked\t',
  '\x0bchunked',
  'chunked\x0b',
  '\x0cchunked',
  'chunked\x00',
  '\x00chunked',
  'chunked\x80',
  '\xa0chunked',
  'identity',
  'identity, chunked',
  'chunked, identity',
  'chunked, chunked',
  'chunked,',
  ',chunked',
  ', chunked',
  '"chunked"',
  "'chunked'",
  'chunked;q=1',
  'chunked;',
  'gzip',
  'gzip, chunked',
  'deflate, chunked',
  'compress',
  'xchunked',
  'x-chunked',
  'chunkedx',
  'chunk',
  'cow',
  'null',
  '0',
  '',
  ' ',
  `${eol} chunked`,
  `x${eol} chunked`,
  `chunked${eol} x`,
  `identity${eol}Transfer-Encoding: chunked`,
  `chunked${eol}Transfer-Encoding: identity`,
  `chunked${eol}Transfer-Encoding: chunked`,
  `x${eol}Transfer-Encoding: chunked`,
] as const

const show = (text: string): string => JSON.stringify(text).slice(0, 60)

/** Read by its length, the body holds the second request; read by its chunks, it ends before it. */
const byChunks = (target: Target): Abuse[] =>
  codings.map((coding) => {
    const body = `0${eol}${eol}${smuggledTo(target)}`
    return {
      name: `length and chunks, ${show(coding)}`,
      bytes: post(target, `Content-Length: ${body.length}${eol}Transfer-Encoding:${coding === '' ? '' : ' '}${coding}${eol}`, body),
    }
  })

/** Read by its chunks, the body holds the second request; read by its length, it ends before it. */
const byLength = (target: Target): Abuse[] =>
  codings.map((coding) => {
    const inner = smuggledTo(target)
    const size = inner.length.toString(16)
    const body = `${size}${eol}${inner}${eol}0${eol}${eol}`
    return {
      name: `chunks and length, ${show(coding)}`,
      bytes: post(target, `Transfer-Encoding: ${coding}${eol}Content-Length: ${size.length + 2}${eol}`, body),
    }
  })

const names = [
  'Transfer-Encoding ',
  ' Transfer-Encoding',
  'Transfer-Encoding\t',
  'Transfer-\x00Encoding',
  'Transfer Encoding',
  `X: x\nTransfer-Encoding`,
  `X: x\rTransfer-Encoding`,
  `Transfer-Encoding${eol} `,
] as const

const byName = (target: Target): Abuse[] =>
  names.map((name) => {
    const body = `0${eol}${eol}${smuggledTo(target)}`
    return { name: `a coding named ${show(name)}`, bytes: post(target, `${name}: chunked${eol}Content-Length: ${body.length}${eol}`, body) }
  })

const lengths = [
  '+5',
  '-1',
  '-0',
  '5,5',
  '5, 6',
  '5 5',
  '0x5',
  '5.0',
  '5e0',
  '5\x00',
  '\x005',
  '5;',
  '"5"',
  '',
  ' ',
  'five',
  '\xb2',
  '5\x0b',
  '99999999999999999999',
  '18446744073709551621',
  '9007199254740993000',
  `5${eol}Content-Length: 6`,
  `0${eol}Content-Length: 5`,
  `5${eol} 6`,
] as const

const badLengths = (target: Target): Abuse[] =>
  lengths.map((length) => ({
    name: `a length of ${show(length)}`,
    bytes: post(target, `Content-Length: ${length}${eol}`, `AAAAA${smuggledTo(target)}`),
  }))

const chunks = [
  ['a size that overflows', `FFFFFFFFFFFFFFFFF${eol}`],
  ['a size below zero', `-1${eol}A${eol}0${eol}${eol}`],
  ['a size with a sign', `+1${eol}A${eol}0${eol}${eol}`],
  ['a size with 0x', `0x1${eol}A${eol}0${eol}${eol}`],
  ['a size of no digits', `${eol}A${eol}0${eol}${eol}`],
  ['a size of other letters', `G${eol}A${eol}0${eol}${eol}`],
  ['a size behind a space', ` 1${eol}A${eol}0${eol}${eol}`],
  ['a size with an underscore', `1_0${eol}A${eol}0${eol}${eol}`],
  ['a size and a bare line feed', `1\nA${eol}0${eol}${eol}`],
  ['a size and a bare carriage return', `1\rA${eol}0${eol}${eol}`],
  ['a chunk without its end', `1${eol}A0${eol}${eol}`],
  ['a chunk longer than its size', `1${eol}AAAA${eol}0${eol}${eol}`],
  ['a chunk that ends in a line feed', `1${eol}A\n0${eol}${eol}`],
  ['an extension with a line feed', `1;a\nb${eol}A${eol}0${eol}${eol}`],
  ['an extension with a carriage return', `1;a\rb${eol}A${eol}0${eol}${eol}`],
  ['an extension with a NUL', `1;\x00${eol}A${eol}0${eol}${eol}`],
  ['a flood of extensions', `1;${'a=b;'.repeat(20_000)}${eol}A${eol}0${eol}${eol}`],
  ['a flood of trailers', `0${eol}${'X: y\r\n'.repeat(5_000)}${eol}`],
  ['a trailer with a NUL', `0${eol}X: \x00${eol}${eol}`],
  ['a trailer without a colon', `0${eol}X y${eol}${eol}`],
  ['a last chunk of many zeros and a sign', `0-${eol}${eol}`],
] as const

const badChunks = (target: Target): Abuse[] =>
  chunks.map(([name, body]) => ({ name, bytes: post(target, `Transfer-Encoding: chunked${eol}`, `${body}${smuggledTo(target)}`) }))

const lines = [
  'GET /canary',
  'GET /canary HTTP/0.9',
  'GET /canary HTTP/2.0',
  'GET /canary HTTP/3',
  'GET /canary HTTP/1.10',
  'GET /canary HTTP/1',
  'GET /canary HTTP/11',
  'GET /canary http/1.1',
  'GET /canary XTTP/1.1',
  'GET /canary HTTP/1.1 HTTP/1.1',
  'GET /canary\tHTTP/1.1',
  'GET\t/canary HTTP/1.1',
  'GET /can\x00ary HTTP/1.1',
  'GET /can\x7fary HTTP/1.1',
  'GET /can ary HTTP/1.1',
  'GET canary HTTP/1.1',
  'GET  HTTP/1.1',
  'G\x00ET /canary HTTP/1.1',
  'get /canary HTTP/1.1',
  'GETT /canary HTTP/1.1',
  `${'X'.repeat(10_000)} /canary HTTP/1.1`,
  'PRI * HTTP/2.0',
  'OPTIONS * HTTP/1.1',
  'CONNECT evil.example:443 HTTP/1.1',
  'CONNECT /canary HTTP/1.1',
  'GET http://evil.example/canary HTTP/1.1',
  'GET http://127.0.0.1/canary HTTP/1.1',
  'GET //evil.example/canary HTTP/1.1',
  'GET /\\evil.example/canary HTTP/1.1',
  'TRACE /v1/status HTTP/1.1',
  `GET /${'x'.repeat(20_000)} HTTP/1.1`,
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'SSH-2.0-OpenSSH_9.6',
  '{"jsonrpc":"2.0"}',
] as const

const badLines = ({ host, auth }: Target): Abuse[] =>
  lines.map((line) => ({ name: `begins with ${show(line)}`, bytes: `${line}${eol}Host: ${host}${eol}${auth}${eol}` }))

const fields = [
  'X\x00: y',
  'X: \x00',
  'X: a\x01b',
  'X y',
  ': y',
  ' X: y',
  'X : y',
  'X\t: y',
  'X(: y',
  'X\xe9: y',
  '\x7fX: y',
  'X: y\nX-Next: z',
  'X: y\rX-Next: z',
  `X: y${eol} folded`,
  `X: y${eol}\tfolded`,
  `X: ${'y'.repeat(9_000)}`,
  Array.from({ length: 10_000 }, (_, i) => `X${i}: y`).join(eol),
  `Expect: the unexpected`,
  `Host: evil.example`,
] as const

const badFields = ({ host, auth }: Target): Abuse[] =>
  fields.map((field) => ({
    name: `a header ${show(field)}`,
    bytes: `GET /v1/agent-groups HTTP/1.1${eol}Host: ${host}${eol}${auth}${field}${eol}${eol}`,
  }))

export const abusesOf = (target: Target): readonly Abuse[] => [
  ...byChunks(target),
  ...byLength(target),
  ...byName(target),
  ...badLengths(target),
  ...badChunks(target),
  ...badLines(target),
  ...badFields(target),
]
