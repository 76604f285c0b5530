// The commands, arguments and flags that scripts rest on. UPDATE_SNAPSHOT=1 writes them anew.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { allCommands as table } from '../src/dispatch/all.ts'
import type { CommandClass } from '../src/dispatch/table.ts'
import { topics } from '../src/dispatch/topics.ts'
import { examplesOf, flagsOf } from '../src/help/command.ts'
import { svcctl } from './svcctl.ts'

const file = join(import.meta.dirname, 'surface.snapshot.json')

type Flag = CommandClass['flags'][string]

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
    commands = await Promise.all(
      Object.entries(table).map(async ([id, load]): Promise<[string, CommandClass]> => [id.replaceAll(':', ' '), await load()]),
    )
  })

  test('is the one that was promised', () => {
    const surface = Object.fromEntries(commands.map(([name, command]) => [name, surfaceOf(command)]))
    if (process.env['UPDATE_SNAPSHOT'] === '1') writeFileSync(file, `${JSON.stringify(surface, null, 2)}\n`)
    assert.deepEqual(surface, JSON.parse(readFileSync(file, 'utf8')))
  })

  test('explains every command, and shows examples whose flags exist', () => {
    for (const [name, command] of commands) {
      assert.ok(command.summary && command.description, `${name} has a summary and a description`)
      const examples = examplesOf(command).map((example) => example.command)
      assert.ok(examples.length > 0, `${name} has an example`)
      const known = new Set(['json', ...flagsOf(command).map(([flag]) => flag)])
      for (const flag of examples.join(' ').matchAll(/ --([a-z-]+)/g)) assert.ok(known.has(flag[1] ?? ''), `${name} knows --${flag[1]}`)
      for (const [flag, { summary }] of flagsOf(command)) assert.ok(summary, `${name} explains --${flag}`)
      for (const [arg, { description }] of Object.entries(command.args)) assert.ok(description, `${name} explains ${arg}`)
    }
  })

  test('offers a token on no command, and explains every topic', () => {
    for (const [name, command] of commands) {
      assert.ok(!flagsOf(command).some(([flag]) => flag === 'token'), name)
      const words = name.split(' ').slice(0, -1)
      for (let count = 1; count <= words.length; count += 1) assert.ok(topics[words.slice(0, count).join(':')], name)
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
  })
})
