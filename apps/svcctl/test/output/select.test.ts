// `--json FIELDS` and `--jq EXPR`.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fieldsOf, splitFields } from '../../src/output/select.ts'
import { change } from '../contents.ts'
import { startUnit } from '../fake-unit.ts'
import { type CommandClass, loadCommands } from '../loaded.ts'
import { svcctl, svcctlAtTerminal } from '../svcctl.ts'

suite('--json FIELDS and --jq EXPR', () => {
  test('plain --json stays the whole result, wherever it stands', async () => {
    await using unit = await startUnit()
    const env = { SERVICE_API_URL: unit.address }
    const whole = await svcctl(['change', 'pending', '--json'], { env })
    assert.deepEqual(Object.keys((JSON.parse(whole.stdout) as object[])[0] ?? {}), Object.keys(change))
    const before = await svcctl(['--json', 'change', 'pending', '--addr', unit.address], { env })
    assert.equal(before.stdout, whole.stdout)
    const shown = await svcctl(['change', 'show', '--json', change.id], { env })
    assert.equal((JSON.parse(shown.stdout) as { id: string }).id, change.id)
  })

  test('FIELDS picks fields of each item, or of the one object', async () => {
    await using unit = await startUnit()
    const env = { SERVICE_API_URL: unit.address }
    const list = await svcctl(['change', 'pending', '--json', 'id,risk'], { env })
    assert.deepEqual(JSON.parse(list.stdout), [{ id: change.id, risk: change.risk }])
    for (const flag of [['--json=kind,state'], ['--json', 'kind,state']]) {
      const one = await svcctl(['change', 'show', ...flag, change.id], { env })
      assert.deepEqual(JSON.parse(one.stdout), { kind: change.kind, state: 'held' })
    }
  })

  test('an unknown field is refused before the command acts, and the fields are listed', async () => {
    await using unit = await startUnit()
    const ended = await svcctl(['change', 'approve', change.id, '--by', 'bob', '--json=ids'], { env: { SERVICE_API_URL: unit.address } })
    assert.equal(ended.code, 2)
    assert.match(ended.stderr, /unknown field.*did you mean id\?/)
    assert.match(ended.stderr, /fields: id,kind,/)
    assert.equal(unit.asked.length, 0)
  })

  test('EXPR filters the result as jq does, strings as they are', async () => {
    await using unit = await startUnit()
    const env = { SERVICE_API_URL: unit.address }
    const ids = await svcctl(['change', 'pending', '--jq', '.[] | select(.risk == "medium") | .id'], { env })
    assert.deepEqual(ids, { code: 0, stdout: `${change.id}\n`, stderr: '' })
    const counted = await svcctl(['change', 'pending', '--json', 'kind', '--jq', 'group_by(.kind) | map({(.[0].kind): length})'], { env })
    assert.equal(counted.stdout, '[{"mcp_access":1}]\n')
    assert.equal((await svcctl(['change', 'pending', '--jq', '.[] | select(false)'], { env })).stdout, '')
  })

  test('an expression that is none is refused before the command acts', async () => {
    await using unit = await startUnit()
    const ended = await svcctl(['change', 'approve', change.id, '--by', 'bob', '--jq', '.['], { env: { SERVICE_API_URL: unit.address } })
    assert.equal(ended.code, 2)
    assert.match(ended.stderr, /--jq: /)
    assert.equal(unit.asked.length, 0)
  })

  test('an expression hands no character to a terminal that it would obey', async () => {
    await using unit = await startUnit()
    const { stdout } = await svcctlAtTerminal(['change', 'show', change.id, '--jq', '.evidence.tools[0].description'], {
      env: { SERVICE_API_URL: unit.address },
    })
    assert.match(stdout, /red\\u\{1b\}/)
    assert.doesNotMatch(stdout, /\u001b/)
  })

  test('a word behind --json is FIELDS where the command has no arguments, or where it is a list', () => {
    assert.deepEqual(splitFields(['--json', 'id'], false), { argv: ['--json'], fields: ['id'] })
    assert.deepEqual(splitFields(['--json', 'id'], true), { argv: ['--json', 'id'], fields: undefined })
    assert.deepEqual(splitFields(['--json', 'id,kind', 'x'], true), { argv: ['--json', 'x'], fields: ['id', 'kind'] })
    assert.deepEqual(splitFields(['--', '--json', 'id'], false), { argv: ['--', '--json', 'id'], fields: undefined })
  })

  test('every command that prints an object or a list has fields', async () => {
    const without = (await loadCommands()).filter(([, { result }]: [string, CommandClass]) => fieldsOf(result).length === 0)
    assert.deepEqual(
      without.map(([id]) => id),
      [],
    )
  })
})
