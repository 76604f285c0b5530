// What is refused of the changes that concern tool servers.
import { mask } from '@gatehouse/contracts'
import { makeGrant } from '../fixtures/change-context.ts'
import { testRefusals } from './refused.ts'

const without = { context: { servers: null } }
const access = { server: 'sample', tools: ['echo'] }

testRefusals('mcp_access', [
  ['nothing', undefined, '/after'],
  ['a server with two underscores', { ...access, server: 'a__b' }, '/after/server'],
  ['a server with two underscores', { ...access, server: 'a__b' }, '/after/server'],
  ['no tools', { server: 'sample' }, '/after/tools'],
  ['an empty tool name', { ...access, tools: [''] }, '/after/tools/0'],
  ['a tool name over 128 characters', { ...access, tools: ['x'.repeat(129)] }, '/after/tools/0'],
  ['more than a thousand tools', { ...access, tools: Array(1001).fill('a') }, '/after/tools'],
  ['no calls at all', { ...access, maxCalls: 0 }, '/after/maxCalls'],
  ['half a call', { ...access, maxCalls: 1.5 }, '/after/maxCalls'],
  ['an end that is no time', { ...access, expiresAt: 'tomorrow' }, '/after/expiresAt'],
  ['pins of its own', { ...access, pins: {} }, '/after/pins'],
  ['a server that is not configured', { ...access, server: 'absent' }, 'server-not-configured'],
  ['an end that is past', { ...access, expiresAt: '2020-01-01T00:00:00.000Z' }, 'expires-in-past'],
  ['an end that is now', { ...access, expiresAt: '2026-11-20T00:00:00.000Z' }, 'expires-in-past'],
  ['a unit without tool servers', access, 'mcp-disabled', without],
])

const grants = [
  makeGrant('named', { tools: ['echo', 'add'] }),
  makeGrant('wide'),
  makeGrant('sample', { tools: ['echo'], state: 'revoked' }),
]
const granted = { context: { grants } }

testRefusals('mcp_revoke', [
  ['nothing', undefined, '/after'],
  ['no server', {}, '/after/server'],
  ['a server that cannot be', { server: '../x' }, '/after/server'],
  ['a list without tools', { server: 'named', tools: [] }, '/after/tools'],
  ['tools that are no list', { server: 'named', tools: 'echo' }, '/after/tools'],
  ['a tool that is a number', { server: 'named', tools: [7] }, '/after/tools/0'],
  ['another member', { server: 'named', reason: 'x' }, '/after/reason'],
  ['what was never granted', { server: 'absent' }, 'no-grant', granted],
  ['what is revoked already', { server: 'sample' }, 'no-grant', granted],
  ['a tool that the grant does not name', { server: 'named', tools: ['wipe'] }, 'not-in-grant', granted],
  ['a name out of a grant for every tool', { server: 'wide', tools: ['echo'] }, 'grant-covers-all', granted],
])

const local = { name: 'new', transport: 'stdio', command: '/bin/cat' }
const remote = { name: 'new', transport: 'http', url: 'https://tools.example/mcp' }
const agent = { context: { requester: 'session:ses_aaaaaaaaaaaaa' } }

testRefusals('mcp_register', [
  ['nothing', undefined, '/after'],
  ['no name', { transport: 'stdio', command: 'x' }, '/after/name'],
  ['a name that no server may have', { ...local, name: 'a b' }, '/after/name'],
  ['an unknown transport', { ...local, transport: 'sse' }, '/after/transport'],
  ['a command and a url', { ...local, url: 'https://x' }, '/after/url'],
  ['an empty command', { ...local, command: '' }, '/after/command'],
  ['an image that is an option', { ...local, image: '--privileged' }, '/after/image'],
  ['a variable that cannot be', { ...local, env: { 'A-B': 'x' } }, '/after/env/A-B'],
  ['a header that cannot be', { ...remote, headers: { 'a b': 'x' } }, '/after/headers/a b'],
  ['a name in use', { ...local, name: 'sample' }, 'server-name-in-use'],
  ['a name that groups were granted', local, 'name-granted', { context: { granted: new Set(['new']) } }],
  ['plain http to another machine', { ...remote, url: 'http://tools.example/' }, 'url-refused'],
  ['a url of a file', { ...remote, url: 'file:///etc/passwd' }, 'url-refused'],
  ['a url with a password', { ...remote, url: 'https://me:pw@tools.example/' }, 'url-refused'],
  ['a url with a look-alike letter', { ...remote, url: 'https://tооls.example/' }, 'url-refused'],
  ['a variable in the url', { ...remote, url: 'https://tools.example/${TOKEN}' }, 'url-refused'],
  ['a variable in an argument', { ...local, args: ['--key=${KEY}'] }, 'reference-misplaced'],
  ['a variable in the command', { ...local, command: '${SHELL}' }, 'reference-misplaced'],
  ['a line break in a header', { ...remote, headers: { a: 'x\r\nb: y' } }, 'value-unusable'],
  ['NUL in a value', { ...local, env: { A: 'x\0y' } }, 'value-unusable'],
  ['a mask for a value', { ...local, env: { A: mask } }, 'value-masked'],
  ['a unit without tool servers', local, 'mcp-disabled', without],
  ['a variable that an agent names', { ...local, env: { A: '${HOME}' } }, 'agent-names-variable', agent],
  ['a variable that an agent hides in an argument', { ...local, args: ['x${AWS_SECRET}'] }, 'agent-names-variable', agent],
  ['a value that an agent gives', { ...remote, headers: { authorization: 'Bearer x' } }, 'agent-gives-value', agent],
  ['an empty value that an agent gives', { ...local, env: { NODE_OPTIONS: '' } }, 'agent-gives-value', agent],
])
