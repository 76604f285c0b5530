// The commands, arguments and flags that scripts rest on. UPDATE_SNAPSHOT=1 writes them anew.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { startUnit } from './fake-unit.ts'
import { type CommandClass, examplesOf, type Flag, flagsOf, loadCommands, loadConfig } from './loaded.ts'
import { svcctl, svcctlAtTerminal } from './svcctl.ts'

const file = join(import.meta.dirname, 'surface.snapshot.json')

const flagOf = (flag: Flag): object => ({
  type: flag.type,
  ...(flag.required === true && { required: true }),
  ...(flag.type === 'option' && flag.multiple === true && { multiple: true }),
  ...(flag.env !== undefined && { env: flag.env }),
  ...(flag.type === 'option' && flag.options !== undefined && { options: flag.options }),
  ...(flag.default !== undefined && flag.default !== false && { default: flag.default as unknown }),
})

const surfaceOf = (command: CommandClass): object => ({
  args: Object.fromEntries(Object.entries(command.args).map(([name, arg]) => [name, arg.required === true ? 'required' : 'optional'])),
  flags: Object.fromEntries(
    flagsOf(command)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([name, flag]) => [name, flagOf(flag)]),
  ),
})

suite('the surface of svcctl', () => {
  let commands: [string, CommandClass][]

  before(async () => {
    commands = (await loadCommands()).map(([id, command]) => [id.replaceAll(':', ' '), command])
  })

  test('is the one that was promised', () => {
    const surface = Object.fromEntries(commands.map(([name, command]) => [name, surfaceOf(command)]))
    if (process.env['UPDATE_SNAPSHOT'] === '1') writeFileSync(file, `${JSON.stringify(surface, null, 2)}\n`)
    assert.deepEqual(surface, JSON.parse(readFileSync(file, 'utf8')))
  })

  test('explains every command, and shows examples whose flags exist', () => {
    for (const [name, command] of commands) {
      assert.ok(command.summary && command.description, `${name} has a summary and a description`)
      const examples = examplesOf(command)
      assert.ok(examples.length > 0, `${name} has an example`)
      const known = new Set(['json', ...flagsOf(command).map(([flag]) => flag)])
      // A quoted command line has flags of its own.
      const typed = examples.join(' ').replaceAll(/'[^']*'/g, '')
      for (const flag of typed.matchAll(/ --([a-z-]+)/g)) assert.ok(known.has(flag[1] ?? ''), `${name} knows --${flag[1]}`)
      for (const [flag, { summary }] of flagsOf(command)) assert.ok(summary, `${name} explains --${flag}`)
      for (const [arg, { description }] of Object.entries(command.args)) assert.ok(description, `${name} explains ${arg}`)
    }
  })

  test('offers a token on no command, and explains every topic', async () => {
    const { topics } = await loadConfig()
    const described = new Set(topics.filter(({ description }) => description).map(({ name }) => name))
    for (const [name, command] of commands) {
      assert.ok(!flagsOf(command).some(([flag]) => flag === 'token'), name)
      const words = name.split(' ').slice(0, -1)
      for (let count = 1; count <= words.length; count += 1) assert.ok(described.has(words.slice(0, count).join(':')), name)
    }
  })

  test('is told by --help, on stdout', async () => {
    const root = await svcctl(['--help'])
    assert.equal(root.code, 0)
    for (const word of ['audit', 'change', 'chat', 'mcp', 'metrics', 'status']) assert.match(root.stdout, new RegExp(`^  ${word} `, 'm'))
    const approve = await svcctl(['change', 'approve', '--help'])
    assert.match(approve.stdout, /\$ svcctl change approve \[ID\] --by APPROVER/)
    assert.equal(approve.stderr, '')
    const topic = await svcctl(['help', 'change'])
    assert.match(topic.stdout, /^  change approve +Approve/m)
    assert.equal((await svcctl(['change'])).stdout, topic.stdout)
  })

  test('knows what somebody may have meant', async () => {
    const ended = await svcctl(['change', 'aprove'])
    assert.equal(ended.code, 2)
    assert.match(ended.stderr, /Try: svcctl change approve/)
    const far = await svcctl(['nonsense', '--json'])
    assert.equal(far.code, 2)
    assert.match(far.stdout + far.stderr, /^\{\n.*"hint": "svcctl --help"\n\}\n$/s)
  })

  test('an unknown command is a usage error at a terminal too, and so is a stray word', async () => {
    const typo = await svcctlAtTerminal(['change', 'pendng'])
    assert.equal(typo.code, 2)
    assert.match(typo.stdout, /unknown command: change pendng\. Did you mean change pending\?/)
    const stray = await svcctl(['change', 'pending', 'now'])
    assert.equal(stray.code, 2)
    assert.match(stray.stderr, /unexpected argument: "now"/)
    const verb = await svcctl(['approve'])
    assert.match(verb.stderr, /Try: svcctl change approve/)
  })

  test('a help page names arguments and required flags in one line, and the other flags below', async () => {
    const { stdout } = await svcctl(['change', 'submit', '--help'])
    assert.match(stdout, /^ {2}\$ svcctl change submit KIND --group ID \[flags\]$/m)
  })

  test('prints the versions of the program and of the unit', async () => {
    await using unit = await startUnit()
    const known = await svcctl(['version', '--jq', '.unit'], { env: { SERVICE_API_URL: unit.address } })
    assert.equal(known.stdout, '0.0.0\n')
    const alone = await svcctl(['version'], { env: { SERVICE_API_URL: 'http://127.0.0.1:9' } })
    assert.equal(alone.code, 0)
    assert.match(alone.stdout, /^svcctl +\S+ \(Node [\d.]+\)\nunit +does not answer at http:\/\/127\.0\.0\.1:9\n$/)
  })
})
