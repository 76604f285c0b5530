// The text rule for urls of remote tool servers, as a table.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkServerUrl } from '../src/index.ts'

const allowed = [
  'https://mcp.example.com',
  'https://mcp.example.com/',
  'https://mcp.example.com:8443/mcp?team=a%20b',
  'HTTPS://MCP.EXAMPLE.COM/mcp',
  'https://10.0.0.7/mcp',
  'https://[2001:db8::1]/mcp',
  'https://localhost/mcp',
  'https://xn--bcher-kva.example/mcp',
  'http://localhost',
  'http://localhost:8080/mcp',
  'http://LOCALHOST/mcp',
  'http://127.0.0.1:8080/mcp',
  'http://127.255.255.254/',
  'http://127.0.0.1?x=1',
  'http://[::1]:8080/mcp',
]

const refused: readonly (readonly [url: string, reason: RegExp])[] = [
  ['http://mcp.example.com/mcp', /must use https, not http to mcp\.example\.com/],
  ['http://10.0.0.7/mcp', /plain http is for/],
  ['http://0.0.0.0:8080/', /plain http is for/],
  ['http://[::]/', /plain http is for/],
  ['http://[::ffff:127.0.0.1]/', /plain http is for/],
  ['http://127.0.0.1.evil.example/', /plain http is for/],
  ['http://127.0.0.1evil.example/', /plain http is for/],
  ['http://localhost.evil.example/', /plain http is for/],
  ['http://localhost./', /plain http is for/],
  ['http://127.1/', /plain http is for/],
  ['http://2130706433/', /plain http is for/],
  ['http://0x7f000001/', /plain http is for/],
  ['http://0177.0.0.1/', /plain http is for/],
  ['http://127.0.0.1./', /plain http is for/],
  ['http://169.254.169.254/latest/meta-data', /plain http is for/],
  ['http://127.0.0.999/', /cannot be read/],
  ['http://127.0.0.1\\@evil.example/', /without spaces, backslashes/],
  ['https:\\\\evil.example', /without spaces, backslashes/],
  ['https://ex\nample.com', /without spaces/],
  ['https://example.com/a b', /without spaces/],
  ['https://exämple.com/', /outside ASCII/],
  ['https://127。0。0。1/', /outside ASCII/],
  ['https://user@example.com/', /no user or password/],
  ['https://user:hunter2@example.com/', /no user or password/],
  ['https://@example.com/', /no user or password/],
  ['http://localhost@evil.example/', /no user or password/],
  ['http://127.0.0.1:80@evil.example/', /no user or password/],
  ['https:example.com', /absolute url/],
  ['https:///example.com', /absolute url/],
  ['https://', /absolute url/],
  ['https://exa mple', /without spaces/],
  ['https://[::1/', /cannot be read/],
  ['https://example.com:99999/', /cannot be read/],
  ['ftp://example.com/', /must use https, not  ftp/],
  ['ws://localhost/', /must use https, not  ws/],
  ['file:///etc/passwd', /must use https, not  file/],
  ['javascript:alert(1)', /must use https, not  javascript/],
  ['example.com/mcp', /no scheme/],
  ['//example.com/mcp', /no scheme/],
  ['', /no scheme/],
  ['https://example.com/?key=${API_KEY}', /only values of headers may name a variable/],
]

for (const url of allowed)
  test(`accepts ${url}`, () => {
    assert.equal(checkServerUrl(url), null)
  })

for (const [url, reason] of refused)
  test(`refuses ${JSON.stringify(url)}`, () => {
    assert.match(String(checkServerUrl(url)), reason)
  })

test('never repeats a password', () => {
  assert.doesNotMatch(String(checkServerUrl('https://user:hunter2@example.com/')), /hunter2/)
})
