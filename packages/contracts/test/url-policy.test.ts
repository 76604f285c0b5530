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
  ['http://10.0.0.7/mcp', /plain http is only allowed for localhost/],
  ['http://0.0.0.0:8080/', /plain http is only allowed for localhost/],
  ['http://[::]/', /plain http is only allowed for localhost/],
  ['http://[::ffff:127.0.0.1]/', /plain http is only allowed for localhost/],
  ['http://127.0.0.1.evil.example/', /plain http is only allowed for localhost/],
  ['http://127.0.0.1evil.example/', /plain http is only allowed for localhost/],
  ['http://localhost.evil.example/', /plain http is only allowed for localhost/],
  ['http://localhost./', /plain http is only allowed for localhost/],
  ['http://127.1/', /plain http is only allowed for localhost/],
  ['http://2130706433/', /plain http is only allowed for localhost/],
  ['http://0x7f000001/', /plain http is only allowed for localhost/],
  ['http://0177.0.0.1/', /plain http is only allowed for localhost/],
  ['http://127.0.0.1./', /plain http is only allowed for localhost/],
  ['http://169.254.169.254/latest/meta-data', /plain http is only allowed for localhost/],
  ['http://127.0.0.999/', /not an absolute URL/],
  ['http://127.0.0.1\\@evil.example/', /must not contain spaces, backslashes/],
  ['https:\\\\evil.example', /must not contain spaces, backslashes/],
  ['https://ex\nample.com', /must not contain spaces/],
  ['https://example.com/a b', /must not contain spaces/],
  ['https://exämple.com/', /non-ASCII/],
  ['https://127。0。0。1/', /non-ASCII/],
  ['https://user@example.com/', /must not contain a user or password/],
  ['https://user:hunter2@example.com/', /must not contain a user or password/],
  ['https://@example.com/', /must not contain a user or password/],
  ['http://localhost@evil.example/', /must not contain a user or password/],
  ['http://127.0.0.1:80@evil.example/', /must not contain a user or password/],
  ['https:example.com', /not an absolute URL/],
  ['https:///example.com', /not an absolute URL/],
  ['https://', /not an absolute URL/],
  ['https://exa mple', /must not contain spaces/],
  ['https://[::1/', /not an absolute URL/],
  ['https://example.com:99999/', /not an absolute URL/],
  ['ftp://example.com/', /must use https, not ftp/],
  ['ws://localhost/', /must use https, not ws/],
  ['file:///etc/passwd', /must use https, not file/],
  ['javascript:alert(1)', /must use https, not javascript/],
  ['example.com/mcp', /no scheme/],
  ['//example.com/mcp', /no scheme/],
  ['', /no scheme/],
  ['https://example.com/?key=${API_KEY}', /variables are only expanded in header values/],
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
