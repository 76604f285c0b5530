// Every example of every help page, run as it stands against the fake unit; and the JSON of each against its schema.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { openJournal, verifyJournal } from '@gatehouse/journal'
import { createLogger } from '@gatehouse/kernel'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { splitFields } from '../src/output/select.ts'
import { grant } from './contents.ts'
import { type FakeUnit, startUnit } from './fake-unit.ts'
import { type CommandClass, examplesOf, loadCommands } from './loaded.ts'
import { writeArchives } from './archives.ts'
import { type Ended, svcctlMany, svcctlManyAtTerminal } from './svcctl.ts'

const file = join(import.meta.dirname, 'results.snapshot.json')
const secret = 'S3CR3T-token-of-the-test'

/** Words of a command line as a shell would give them; no example has variables or redirections. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  )

/** Needs an engine and a registry; writes into the home directory; serves a client on its standard streams. */
const needsMore: ReadonlySet<string> = new Set(['mcp:pack', 'connect', 'mcp:serve'])

/** A terminal would obey or hide these. */
const obeyed = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u200B]/

/** A journal with its head, and a declaration, as the examples name them. */
const writeState = async (folder: string): Promise<void> => {
  const state = join(folder, 'state')
  mkdirSync(state, { mode: 0o700 })
  const log = createLogger({ process: 'test', level: 'error', write: () => undefined })
  const paths = { path: join(state, 'audit.jsonl'), publicKeyPath: join(state, 'journal.pub') }
  const journal = await openJournal({ ...paths, seed: Buffer.alloc(32, 7), epoch: 1, log })
  await journal.append([{ stage: 'start', edge: 'gateway.control-plane', principal: 'gateway', detail: {} }])
  await journal.close()
  const verdict = await verifyJournal({ ...paths })
  assert.ok(verdict.ok)
  writeFileSync(join(folder, 'gatehouse.yaml'), 'version: 1\ngroups:\n  dev-agent: { agent: mock, persona: quiet }\n')
  writeFileSync(join(folder, 'entry.json'), JSON.stringify({ transport: 'stdio', command: 'node', args: ['main.mjs'] }))
  const hostile = { 'me\u001b[31mmory': { command: 'npx', args: ['server@1.0.0', '\u001b[31m'] } }
  for (const name of ['.mcp.json', 'mcp.json']) writeFileSync(join(folder, name), JSON.stringify({ mcpServers: hostile }))
  copyFileSync(paths.path, join(folder, 'audit.jsonl'))
  writeFileSync(join(folder, 'head.json'), JSON.stringify(verdict.head))
}

/** Each run restores into a directory of its own: the one before is full. */
const anew = (argv: readonly string[]): readonly string[] =>
  argv[0] === 'restore' ? argv.map((word, index) => (argv[index - 1] === '--state-dir' ? `${word}-again` : word)) : argv

/** The whole result, whatever part of it an example asks for. */
const withoutParts = (argv: readonly string[]): string[] =>
  splitFields(argv, true).argv.filter((word, index, all) => word !== '--json' && word !== '--jq' && all[index - 1] !== '--jq')

/** Words behind `--` are no flags. */
const withJson = (argv: readonly string[]): string[] => {
  const words = anew(withoutParts(argv))
  const flags = ['--json', ...(argv[0] === 'token' && argv.includes('--file') && !argv.includes('--force') ? ['--force'] : [])]
  const end = words.indexOf('--')
  return words.toSpliced(end === -1 ? words.length : end, 0, ...flags)
}

suite('the examples of svcctl', () => {
  let unit: FakeUnit
  let cwd: string
  let commands: [string, CommandClass][]
  let lines: { line: string; argv: string[]; result: v.GenericSchema }[]
  let ended: Ended[]
  let asJson: Ended[]
  let atTerminal: Ended[]

  before(async () => {
    // Of the same tools as in the change that the unit knows.
    const items = [{ ...grant, tools: ['add'] }]
    unit = await startUnit({ token: secret, answers: { 'GET /v1/grants': { items } } })
    cwd = mkdtempSync(join(tmpdir(), 'svcctl-examples-'))
    await writeState(cwd)
    await writeArchives(cwd)
    commands = await loadCommands()
    lines = commands.flatMap(([id, command]) =>
      (needsMore.has(id) ? [] : examplesOf(command)).map((line) => ({
        line,
        argv: wordsOf(line).slice(1),
        result: command.result,
      })),
    )
    const env = { SERVICE_API_URL: unit.address, SERVICE_API_TOKEN: secret, HOME: cwd, SVCCTL_CACHE_DIR: join(cwd, 'cache') }
    const argvs = lines.map(({ argv }) => argv)
    ended = await svcctlMany(argvs, { cwd, env })
    asJson = await svcctlMany(argvs.map(withJson), { cwd, env })
    atTerminal = await svcctlManyAtTerminal(argvs, { cwd, env })
  })
  after(async () => {
    await unit.close()
    rmSync(cwd, { recursive: true })
  })

  test('all run', () => {
    assert.ok(lines.length > 60)
    for (const [index, { line }] of lines.entries()) assert.equal(ended[index]?.code, 0, `${line}: ${ended[index]?.stderr}`)
  })

  test('give JSON that fits the schema of their command', () => {
    for (const [index, { line, result }] of lines.entries()) {
      const { code, stdout, stderr } = asJson[index]!
      assert.equal(code, 0, `${line}: ${stderr}`)
      assert.notEqual(stdout, '', `${line}: no result`)
      const parsed = v.safeParse(result, JSON.parse(stdout))
      assert.ok(parsed.success, `${line}: ${JSON.stringify(parsed.issues?.map(({ message }) => message))}`)
    }
  })

  test('hand no character to a terminal that it would obey, and the token to nobody', () => {
    for (const [index, { line }] of lines.entries()) {
      for (const { stdout, stderr } of [ended[index]!, asJson[index]!, atTerminal[index]!]) {
        assert.doesNotMatch(stdout + stderr, obeyed, line)
        assert.ok(!(stdout + stderr).includes(secret), line)
      }
    }
    for (const run of [ended, atTerminal])
      assert.ok(run.filter(({ stdout }) => stdout.includes('\\u{1b}[31m')).length > 10, 'the fake unit did send what a terminal obeys')
    assert.ok(
      atTerminal.some(({ stdout }) => /^ID +KIND +GROUP +REQUESTED-BY +AGE +RISK/m.test(stdout)),
      'tables have their heads at a terminal',
    )
    assert.match('\u001b[31m', obeyed)
  })

  test('have the schemas that were promised', () => {
    const schemas = Object.fromEntries(
      commands.map(([name, { result }]) => [name.replaceAll(':', ' '), toJsonSchema(result, { errorMode: 'ignore' })]),
    )
    if (process.env['UPDATE_SNAPSHOT'] === '1') writeFileSync(file, `${JSON.stringify(schemas)}\n`)
    assert.deepEqual(JSON.parse(JSON.stringify(schemas)), JSON.parse(readFileSync(file, 'utf8')))
  })
})
