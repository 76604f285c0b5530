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
      for (const flag of examples.join(' ').matchAll(/ --([a-z-]+)/g)) assert.ok(known.has(flag[1] ?? ''), `${name} knows --${flag[1]}`)
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
    assert.match(approve.stdout, /\$ svcctl change approve ID --by APPROVER/)
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

  test('asks at a terminal, and runs what was meant', async () => {
    await using unit = await startUnit()
    const options = { env: { SERVICE_API_URL: unit.address } }
    const no = await svcctlAtTerminal(['change', 'pendng'], { ...options, typed: [['Did you mean', 'n\r']] })
    assert.equal(no.code, 2)
    assert.match(no.stdout, /Run svcctl help change for a list of available commands/)
    const yes = await svcctlAtTerminal(['change', 'pendng'], { ...options, typed: [['Did you mean', 'y\r']] })
    assert.equal(yes.code, 0)
    assert.match(yes.stdout, /REQUESTED-BY/)
  })
})
