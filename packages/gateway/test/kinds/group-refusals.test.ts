// What is refused of the changes that say what a group is.
import { makeGroup, makeWired } from '../fixtures/change-context.ts'
import { testRefusals } from './refused.ts'

const made = { id: 'b', name: 'b', agent: 'mock' }
const nowhere = { context: { group: undefined } }

testRefusals('agent_create', [
  ['nothing', undefined, '/after'],
  ['a list', [], '/after/id'],
  ['an id in upper case', { ...made, id: 'B' }, '/after/id'],
  ['an id that looks like a path', { ...made, id: '../b' }, '/after/id'],
  ['an id with a look-alike letter', { ...made, id: 'аb' }, '/after/id'],
  ['a name of blanks alone', { ...made, name: ' \t ' }, '/after/name'],
  ['a name over 128 characters', { ...made, name: 'x'.repeat(129) }, '/after/name'],
  ['a name with a lone surrogate', { ...made, name: 'a\ud800' }, '/after/name'],
  ['an unknown agent', { ...made, agent: 'human' }, '/after/agent'],
  ['a persona over 64 KiB', { ...made, persona: 'ä'.repeat(33_000) }, '/after/persona'],
  ['a model without provider', { ...made, agent: 'model', model: { id: 'm' } }, '/after/model/provider'],
  ['an unknown member', { ...made, origin: 'seed' }, '/after/origin'],
  ['a group that exists', { ...made, id: 'a' }, 'group-exists'],
  ['an agent that uses a model, without one', { ...made, agent: 'model' }, 'model-missing', nowhere],
  ['a model of a provider without a key', { ...made, agent: 'model', model: { provider: 'none', id: 'm' } }, 'provider-unknown', nowhere],
  ['a model for the mock agent', { ...made, model: { provider: 'p', id: 'm' } }, 'model-on-mock', nowhere],
])

testRefusals('agent_remove', [
  ['nothing', undefined, '/after'],
  ['null', null, '/after'],
  ['a list', [], '/after'],
  ['a text', 'a', '/after'],
  ['a number', 1, '/after'],
  ['true', true, '/after'],
  ['an id', { id: 'a' }, '/after/id'],
  ['a wish to keep something', { keepFiles: true }, '/after/keepFiles'],
])

testRefusals('persona', [
  ['nothing', undefined, '/after'],
  ['null', null, '/after'],
  ['a text', 'be calm', '/after'],
  ['no instructions', {}, '/after/instructions'],
  ['instructions that are null', { instructions: null }, '/after/instructions'],
  ['instructions in a list', { instructions: ['x'] }, '/after/instructions'],
  ['instructions over 64 KiB', { instructions: '\u{1f600}'.repeat(16_385) }, '/after/instructions'],
  ['a lone surrogate', { instructions: '\udc00' }, '/after/instructions'],
  ['another member', { instructions: 'x', persona: 'y' }, '/after/persona'],
])

testRefusals('tools', [
  ['nothing', undefined, '/after'],
  ['no list', {}, '/after/enabled'],
  ['a text for a list', { enabled: 'search' }, '/after/enabled'],
  ['a tool that no agent has', { enabled: ['read_file', 'sudo'] }, '/after/enabled/1'],
  ['a tool in upper case', { enabled: ['Search'] }, '/after/enabled/0'],
  ['a tool of a server', { enabled: ['sample__echo'] }, '/after/enabled/0'],
  ['a tool twice', { enabled: ['search', 'search'] }, '/after/enabled'],
  ['null for a tool', { enabled: [null] }, '/after/enabled/0'],
  ['more tools than there are', { enabled: Array(10).fill('search') }, '/after/enabled'],
  ['another member', { enabled: [], disabled: ['search'] }, '/after/disabled'],
])

const terms = { channel: 'slack', address: '#general', engage: 'mention', session: 'shared' }
const other = { context: { wirings: [makeWired('#general', { agentGroupID: makeGroup({ id: 'b' as never }).id })] } }

/** One address of each channel, and other spellings of it. */
const spellings = [
  [
    'webhook',
    'http://ops.example/ops',
    ['HTTP://Ops.Example:80/ops', 'http://ops.example/%6fps', 'http://ops.example./ops?', 'http://ops.example/a/../ops#x'],
  ],
  ['email', 'agents+ops@example.org', ['Agents+OPS@Example.org', ' agents+ops@example.org ']],
  ['telegram', '-1001234', ['-0001001234', ' -1001234']],
  ['slack', 'C012AB3CD', ['c012ab3cd', 'C012ab3cd']],
] as const

const takenAgain = spellings.flatMap(([channel, address, others]) =>
  others.map(
    (spelled) =>
      [
        `${spelled}, which is ${address} of another group`,
        { ...terms, channel, address: spelled },
        'address-taken',
        { context: { wirings: [makeWired(address, { channel, agentGroupID: makeGroup({ id: 'b' as never }).id })] } },
      ] as const,
  ),
)

testRefusals('wiring', [
  ['nothing', undefined, '/after'],
  ['an unknown channel', { ...terms, channel: 'fax' }, '/after/channel'],
  ['an empty address', { ...terms, address: '' }, '/after/address'],
  ['an address of blanks', { ...terms, address: '  ' }, '/after/address'],
  ['an address over 256 characters', { ...terms, address: 'x'.repeat(257) }, '/after/address'],
  ['no engage', { channel: 'slack', address: 'x', session: 'shared' }, '/after/engage'],
  ['an unknown engage', { ...terms, engage: 'always' }, '/after/engage'],
  ['an unknown session', { ...terms, session: 'global' }, '/after/session'],
  ['an empty pattern', { ...terms, engage: 'pattern', pattern: '' }, '/after/pattern'],
  ['terms and a removal at once', { ...terms, remove: { channel: 'slack', address: 'x' } }, '/after/channel'],
  ['a removal without address', { remove: { channel: 'slack' } }, '/after/remove/address'],
  ['a removal that is a list', { remove: [] }, '/after/remove/channel'],
  ['a pattern that is none', { ...terms, engage: 'pattern', pattern: '(' }, 'pattern-invalid'],
  ['a pattern that unfolds to a long one', { ...terms, engage: 'pattern', pattern: '.{0,999}'.repeat(28) }, 'pattern-invalid'],
  ['a pattern of repeats in repeats', { ...terms, engage: 'pattern', pattern: '(?:(?:.?){30}){33}' }, 'pattern-invalid'],
  ['a pattern that is missing', { ...terms, engage: 'pattern' }, 'pattern-missing'],
  ['a pattern without use', { ...terms, pattern: '^!' }, 'pattern-unexpected'],
  ['an address of another group', terms, 'address-taken', other],
  ['the removal of an address of another group', { remove: { channel: 'slack', address: '#general' } }, 'not-wired', other],
  ...takenAgain,
  ['the removal of what is not there', { remove: { channel: 'email', address: 'x@y.z' } }, 'not-wired'],
])

const mock = { context: { group: makeGroup({ agent: 'mock' }) } }
const member = { channel: 'slack', user: 'U1' }

testRefusals('permissions', [
  ['nothing', undefined, '/after'],
  ['no member at all', {}, '/after'],
  ['an unknown member', { tools: [] }, '/after/tools'],
  ['a member without user', { members: [{ channel: 'slack' }] }, '/after/members/0/user'],
  ['a member of an unknown channel', { members: [{ channel: 'irc', user: 'x' }] }, '/after/members/0/channel'],
  ['a model with a blank in its id', { model: { provider: 'p', id: 'a b' } }, '/after/model/id'],
  ['less memory than a process needs', { limits: { memoryMiB: 1 } }, '/after/limits/memoryMiB'],
  ['a limit that is infinite', { limits: { cpus: Infinity } }, '/after/limits/cpus'],
  ['half a process', { limits: { processes: 8.5 } }, '/after/limits/processes'],
  ['a limit below zero', { limits: { modelTokensPerDay: -1 } }, '/after/limits/modelTokensPerDay'],
  ['an unknown limit', { limits: { disk: 1 } }, '/after/limits/disk'],
  ['a tool of the provider twice', { providerTools: ['web', 'web'] }, '/after/providerTools'],
  ['no limit among the limits', { limits: {} }, 'limits-empty'],
  ['a member twice', { members: [member, { ...member }] }, 'member-twice'],
  ['a model for the mock agent', { model: { provider: 'p', id: 'm' } }, 'model-on-mock', mock],
  ['provider tools for the mock agent', { providerTools: ['web_search'] }, 'model-on-mock', mock],
])
