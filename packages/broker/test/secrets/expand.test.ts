// Variables in values of a catalog entry.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkHeaders, checkVariables, expand } from '../../src/secrets/expand.ts'

const variables = { TOKEN: 's3cret-value', _x9: 'others', EMPTY: '' }

test('puts variables in place of references, and tells which values they were', () => {
  const { values, secrets, literals, plain } = expand(
    { Authorization: 'Bearer ${TOKEN}', Two: '${_x9}${TOKEN}', Plain: 'a $HOME $(id) {TOKEN}', None: '${EMPTY}' },
    variables,
  )
  assert.deepEqual(values, { Authorization: 'Bearer s3cret-value', Two: 'otherss3cret-value', Plain: 'a $HOME $(id) {TOKEN}', None: '' })
  assert.deepEqual(secrets, ['s3cret-value', 'others'])
  assert.deepEqual(literals, ['Bearer s3cret-value', 'otherss3cret-value', 'a $HOME $(id) {TOKEN}'])
  assert.deepEqual(plain, [])
})

test('does not expand what a variable holds', () => {
  assert.equal(expand({ a: '${A}' }, { A: '${B}+${C}', B: 'deep' }).values['a'], '${B}+${C}')
})

test('a value in the entry itself is kept from agents, and its credential or password from logs, too', () => {
  const { secrets, literals, plain } = expand(
    { A: 'literal-secret', B: 'Basic dXNlcjpwYXNz', C: 'postgres://u:pa%40ss-word@host/db', DEBUG: '1' },
    {},
  )
  assert.deepEqual(secrets, ['dXNlcjpwYXNz', 'pa%40ss-word', 'pa@ss-word'])
  assert.deepEqual(literals, ['literal-secret', 'Basic dXNlcjpwYXNz', 'postgres://u:pa%40ss-word@host/db'])
  assert.deepEqual(plain, ['DEBUG'])
})

test('refuses a variable that is too short to be kept from agents, and names it without its value', () => {
  assert.throws(
    () => expand({ A: '${SHORT}' }, { SHORT: 'pw123' }),
    (error) =>
      error instanceof Error && error.message.includes('variable SHORT has fewer than 6 characters') && !error.message.includes('pw123'),
  )
})

for (const name of ['UNSET', 'toString', '__proto__', 'constructor'])
  test(`refuses a variable that is not set, and names it: ${name}`, () => {
    assert.throws(() => expand({ a: `\${${name}}` }, variables), {
      kind: 'variable',
      message: new RegExp(`the variable ${name} is not set`),
    })
  })

for (const value of ['${}', '${TOKEN', '${1A}', '${A-B}', '${TOKEN:-default}', '${ TOKEN }', '${TOKEN${TOKEN}}'])
  test(`refuses ${value}`, () => {
    assert.throws(() => expand({ a: value }, variables), { kind: 'variable' })
  })

test('refuses a header whose value would begin another header', () => {
  for (const value of ['a\r\nX-Evil: 1', 'a\nb', 'a\rb', 'a\0b', 'ü→'])
    assert.throws(() => checkHeaders({ 'X-Key': value }), { message: /X-Key/ })
  checkHeaders({ 'X-Key': 'plain value\twith a tab' })
  assert.throws(() => checkVariables({ A: 'a\0b' }), { message: /variable A/ })
  checkVariables({ A: 'a\nb' })
})

test('a refusal never quotes a value', () => {
  assert.throws(
    () => checkHeaders({ 'X-Key': 's3cret\nvalue' }),
    (error: Error) => !error.message.includes('s3cret'),
  )
})
