// The commands, arguments and flags that scripts rest on. UPDATE_SNAPSHOT=1 writes them anew.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { type Command, Config } from '@oclif/core'
import { svcctl } from './svcctl.ts'

const file = join(import.meta.dirname, 'surface.snapshot.json')

const flagOf = (flag: Command.Flag.Cached): object => ({
  type: flag.type,
  ...(flag.required === true && { required: true }),
  ...(flag.type === 'option' && flag.multiple === true && { multiple: true }),
  ...(flag.env !== undefined && { env: flag.env }),
  ...(flag.type === 'option' && flag.options !== undefined && { options: flag.options }),
  ...(flag.default !== undefined && flag.default !== false && { default: flag.default as unknown }),
})

const surfaceOf = (command: Command.Loadable): object => ({
  args: Object.fromEntries(Object.entries(command.args).map(([name, arg]) => [name, arg.required === true ? 'required' : 'optional'])),
  flags: Object.fromEntries(
    Object.entries(command.flags)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([name, flag]) => [name, flagOf(flag)]),
  ),
})

const textOf = (example: Command.Example): string => (typeof example === 'string' ? example : example.command)

suite('the surface of svcctl', () => {
  let commands: Command.Loadable[]

  before(async () => {
    const config = await Config.load({ root: join(import.meta.dirname, '..') })
    commands = config.commands.filter((command) => command.pluginName === 'svcctl')
  })

  test('is the one that was promised', () => {
    const surface = Object.fromEntries(commands.map((command) => [command.id.replaceAll(':', ' '), surfaceOf(command)]))
    if (process.env['UPDATE_SNAPSHOT'] === '1') writeFileSync(file, `${JSON.stringify(surface, null, 2)}\n`)
    assert.deepEqual(surface, JSON.parse(readFileSync(file, 'utf8')))
  })

  test('explains every command, and shows examples whose flags exist', () => {
    assert.ok(commands.length >= 15)
    for (const command of commands) {
      assert.ok(command.summary && command.description, `${command.id} has a summary and a description`)
      const examples = (command.examples ?? []).map(textOf)
      assert.ok(examples.length > 0, `${command.id} has an example`)
      for (const flag of examples.join(' ').matchAll(/ --([a-z-]+)/g)) {
        assert.ok(flag[1] !== undefined && flag[1] in command.flags, `${command.id} knows --${flag[1] ?? ''}`)
      }
      for (const [name, flag] of Object.entries(command.flags))
        assert.ok(flag.summary ?? flag.description, `${command.id} explains --${name}`)
    }
  })

  test('offers JSON on every command and a token on none', () => {
    for (const command of commands) {
      assert.ok('json' in command.flags, command.id)
      assert.ok(!('token' in command.flags), command.id)
    }
  })

  test('is told by --help, on stdout', async () => {
    const root = await svcctl(['--help'])
    assert.equal(root.code, 0)
    for (const word of ['audit', 'change', 'chat', 'mcp', 'metrics', 'status', 'autocomplete'])
      assert.match(root.stdout, new RegExp(`^  ${word} `, 'm'))
    const approve = await svcctl(['change', 'approve', '--help'])
    assert.match(approve.stdout, /\$ svcctl change approve ID --by APPROVER/)
    assert.equal(approve.stderr, '')
  })
})
