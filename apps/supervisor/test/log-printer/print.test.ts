// The one printer of the unit's log.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPrinter, createRedactor } from '../../src/log-printer.ts'

const printing = (format: 'json' | 'plain') => {
  const redactor = createRedactor()
  let printed = ''
  const printer = createPrinter({ format, redactor, write: (text) => (printed += text) })
  return { redactor, printer, printed: () => printed }
}

test('every line is JSON when JSON is asked for, also what a runtime prints by itself', () => {
  const { printer, printed } = printing('json')
  printer.line('broker', '{"time":"t","level":"info","process":"broker","message":"ready"}')
  printer.line('broker', 'node: something odd "happened"')
  const lines = printed().trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).message),
    ['ready', 'node: something odd "happened"'],
  )
})

test('a plain line shows time, level, process, message and fields', () => {
  const { printer, printed } = printing('plain')
  printer.line(
    'broker',
    '{"time":"2026-01-01T00:00:00.000Z","level":"info","process":"broker","message":"mcp.call","tool":"echo","note":"two words"}',
  )
  assert.equal(printed(), '2026-01-01T00:00:00.000Z info  broker        mcp.call tool=echo note="two words"\n')
})

test('a line cannot forge another: control characters of a message are written out', () => {
  const { printer, printed } = printing('plain')
  printer.line(
    'broker',
    JSON.stringify({ time: 't', level: 'info', process: 'broker', message: 'one\n2026 info gateway approved\u001b[2J' }),
  )
  assert.equal(printed().split('\n').length, 2)
  assert.doesNotMatch(printed(), /\u001b/)
})

for (const [name, spell] of [
  ['as it is', (secret: string) => secret],
  ['as JSON', (secret: string) => JSON.stringify(secret).slice(1, -1)],
  ['in a URL', encodeURIComponent],
  ['in base64', (secret: string) => Buffer.from(secret).toString('base64')],
] as const) {
  test(`a secret is taken out ${name}, whatever the field`, () => {
    const { printer, redactor, printed } = printing('json')
    const secret = 'p4ss"word/with ünusual&chars'
    redactor.add(secret)
    printer.line(
      'runner',
      JSON.stringify({
        time: 't',
        level: 'info',
        process: 'runner',
        message: `before ${spell(secret)} after`,
        deep: { field: spell(secret) },
      }),
    )
    assert.doesNotMatch(printed(), /p4ss/)
    assert.ok(!printed().includes(Buffer.from(secret).toString('base64')))
    assert.match(printed(), /\[redacted\]/)
  })
}

test('only the minted token escapes redaction', () => {
  const { printer, redactor, printed } = printing('json')
  redactor.add('0123456789abcdef')
  printer.unredacted({ message: 'admin token minted', token: '0123456789abcdef' })
  assert.match(printed(), /0123456789abcdef/)
})

test('of short-lived secrets the newest are taken out, and those that last stay taken out', () => {
  const { printer, redactor, printed } = printing('json')
  const token = (number: number): string => `token-number-${String(number).padStart(6, '0')}`
  redactor.add('a-key-that-lasts')
  for (let number = 0; number < 2_000; number += 1) redactor.addShortLived(token(number))
  const message = [token(0), token(1_999), token(1_000), 'a-key-that-lasts'].join(' ')
  printer.line('broker', JSON.stringify({ time: 't', level: 'info', process: 'broker', message }))
  assert.match(printed(), new RegExp(`"message":"${token(0)} \\[redacted\\] \\[redacted\\] \\[redacted\\]"`))
})
