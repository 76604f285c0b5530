// Set-ups that are broken in one way each, and the check that must name it.
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { change, frozen, grant, servers, session, status, token } from '../contents.ts'

export const secret = 'the-right-token-of-a-test-0123456789'

/** A place of its own for each set-up. */
export interface Place {
  readonly folder: string
  readonly stateDir: string
  readonly environment: Record<string, string | undefined>
  /** Answers of the fake unit by route. */
  readonly answers: Record<string, unknown>
}

export interface Broken {
  readonly check: string
  readonly breakIt: (place: Place) => void
  /** Routes that mend the fake unit when they are asked. */
  readonly mends?: string
}

const state = (name: string) => (place: Place) => join(place.stateDir, name)
const wide = (name: string, mode: number) => (place: Place) => chmodSync(join(place.stateDir, name), mode)
const set = (name: string, value: string) => (place: Place) => void (place.environment[name] = value)
const answer = (route: string, value: unknown) => (place: Place) => void (place.answers[route] = value)
const inFolder = (place: Place, name: string, text: string): string => {
  const path = join(place.folder, name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

const files: Readonly<Record<string, Broken>> = {
  'a state directory open to others': { check: 'state-directory', breakIt: (place) => chmodSync(place.stateDir, 0o755) },
  'a state directory that is not there': { check: 'state-directory', breakIt: (place) => rmSync(place.stateDir, { recursive: true }) },
  'a file where the state directory should be': {
    check: 'state-directory',
    breakIt: (place) => {
      rmSync(place.stateDir, { recursive: true })
      writeFileSync(place.stateDir, '')
    },
  },
  'a keyring open to others': { check: 'state-files', breakIt: wide('keyring.json', 0o644) },
  'an admin token open to a group': { check: 'state-files', breakIt: wide('admin-token', 0o640) },
  'a database open to others': { check: 'state-files', breakIt: wide('gateway.db', 0o666) },
  'a journal open to others': { check: 'state-files', breakIt: wide('audit.jsonl', 0o604) },
  'a catalog open to others': { check: 'state-files', breakIt: wide('mcp-catalog.json', 0o644) },
  'keys of sessions open to others': { check: 'state-files', breakIt: wide('keys', 0o755) },
  'a journal without its reserve': { check: 'state-contents', breakIt: (place) => rmSync(state('audit.reserve')(place)) },
  'a catalog that is no JSON': { check: 'catalog', breakIt: (place) => writeFileSync(state('mcp-catalog.json')(place), '{"sample"') },
  'a catalog with an entry that is none': {
    check: 'catalog',
    breakIt: (place) => writeFileSync(state('mcp-catalog.json')(place), '{"sample":{"transport":"stdio"}}'),
  },
  'a catalog with a server over plain http': {
    check: 'catalog',
    breakIt: (place) => writeFileSync(state('mcp-catalog.json')(place), '{"far":{"transport":"http","url":"http://mcp.example.org"}}'),
  },
  'code that others may write': {
    check: 'own-files',
    breakIt: (place) => {
      mkdirSync(join(place.folder, '.cache/svcctl'), { recursive: true })
      chmodSync(join(place.folder, '.cache/svcctl'), 0o777)
    },
  },
  ...(process.getuid?.() === 0 && {
    'a database of another user': {
      check: 'state-files',
      breakIt: (place: Place) => chownSync(state('gateway.db')(place), 65_532, 65_532),
    },
  }),
}

const shell: Readonly<Record<string, Broken>> = {
  'two tokens': { check: 'settings', breakIt: set('SERVICE_API_TOKEN_FILE', '/nowhere') },
  'a token file that is not there': {
    check: 'credentials',
    breakIt: ({ environment }) => {
      delete environment['SERVICE_API_TOKEN']
      environment['SERVICE_API_TOKEN_FILE'] = '/nowhere/token'
    },
  },
  'an empty token file': {
    check: 'credentials',
    breakIt: (place) => {
      delete place.environment['SERVICE_API_TOKEN']
      place.environment['SERVICE_API_TOKEN_FILE'] = inFolder(place, 'empty', '')
    },
  },
  'a token file that others may read': {
    check: 'credentials',
    breakIt: (place) => {
      delete place.environment['SERVICE_API_TOKEN']
      const path = inFolder(place, 'token of mine', secret)
      chmodSync(path, 0o644)
      place.environment['SERVICE_API_TOKEN_FILE'] = path
    },
  },
  'a wrong token': { check: 'credentials', breakIt: set('SERVICE_API_TOKEN', 'wrong') },
  'no token': { check: 'credentials', breakIt: ({ environment }) => void delete environment['SERVICE_API_TOKEN'] },
  'an address that is none': { check: 'address', breakIt: set('SERVICE_API_URL', 'localhost:8787') },
  'a token that would travel over plain http': { check: 'address', breakIt: set('SERVICE_API_URL', 'http://unit.invalid:8787') },
  'a proxy that is no URL': { check: 'settings', breakIt: set('HTTPS_PROXY', 'proxy:3128') },
  'an authority that cannot be read': { check: 'settings', breakIt: set('SERVICE_CA_FILE', '/nowhere/ca.pem') },
  'an authority that is no certificate': {
    check: 'settings',
    breakIt: (place) => void (place.environment['SERVICE_CA_FILE'] = inFolder(place, 'ca.pem', 'hello')),
  },
  'an image without its digest': { check: 'settings', breakIt: set('SERVICE_SANDBOX_IMAGE', 'example.org/agent:latest') },
}

const frozenGroup = { ...frozen, agentGroupID: 'dev-agent' }
const ended = '2026-01-01T00:00:00.000Z'
const decision = `POST /v1/changes/${change.id}/decision`

const unit: Readonly<Record<string, Broken>> = {
  'a frozen unit': { check: 'freezes', breakIt: answer('GET /v1/status', { ...status, frozen: [frozen] }), mends: 'DELETE /v1/freeze' },
  'a frozen group': {
    check: 'freezes',
    breakIt: answer('GET /v1/status', { ...status, frozen: [frozenGroup] }),
    mends: 'DELETE /v1/freeze',
  },
  'a parked session': {
    check: 'sessions',
    breakIt: answer('GET /v1/sessions', { items: [{ ...session, state: 'parked' }] }),
    mends: `POST /v1/sessions/${session.id}/resume`,
  },
  'a tool server that is down': {
    check: 'servers',
    breakIt: answer('GET /v1/registry/mcp-servers', { items: [{ ...servers[0], state: { status: 'down', lastError: 'timeout' } }] }),
    mends: 'POST /v1/registry/mcp-servers/sample/probe',
  },
  'an expired grant': { check: 'grants', breakIt: answer('GET /v1/grants', { items: [grant] }), mends: decision },
  'a grant that is used up': {
    check: 'grants',
    breakIt: answer('GET /v1/grants', { items: [{ ...grant, expired: false, exhausted: true }] }),
    mends: decision,
  },
  'a suspended grant': {
    check: 'grants',
    breakIt: answer('GET /v1/grants', { items: [{ ...grant, expired: false, state: 'suspended' }] }),
    mends: decision,
  },
  'an expired token': {
    check: 'tokens',
    breakIt: answer('GET /v1/tokens', { items: [{ ...token, expiresAt: ended }] }),
    mends: 'DELETE /v1/tokens/alice',
  },
  'a change that could not be applied': {
    check: 'changes',
    breakIt: answer('GET /v1/changes/history', {
      items: [{ ...change, state: 'apply_failed', failure: { rule: 'apply', reason: 'the disk is full' } }],
    }),
    mends: `POST /v1/changes/${change.id}/retry`,
  },
}

export const broken: Readonly<Record<string, Broken>> = { ...files, ...shell, ...unit }

/** Answers of a unit with which nothing is wrong. */
export const sound = (): Record<string, unknown> => ({
  'GET /v1/status': { ...status, degraded: [] },
  'GET /v1/grants': { items: [{ ...grant, expired: false }] },
  'GET /v1/changes/history': { items: [] },
  'GET /v1/changes/pending': { items: [] },
})

/** A state directory with which nothing is wrong; the journal comes from the test. */
export const writeState = (stateDir: string): void => {
  mkdirSync(stateDir, { mode: 0o700 })
  for (const name of ['keys', 'queues', 'groups']) mkdirSync(join(stateDir, name), { mode: 0o700 })
  const contents = {
    'state.json': '{"schema":1,"installation":"x","mode":"production"}',
    'keyring.json': '{}',
    'admin-token': `${secret}\n`,
    'gateway.db': 'not looked into',
    'audit.reserve': 'room',
    'mcp-catalog.json': '{"sample":{"transport":"stdio","command":"node"}}',
  }
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(stateDir, name), text, { mode: 0o600 })
}
