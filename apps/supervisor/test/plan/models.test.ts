// Providers of models by the environment: what is taken, and what ends the start by the name of its variable.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decidePlan } from '../../src/plan/decide.ts'

const plan = (env: Record<string, string>) => decidePlan([], { HOME: '/home/somebody', ...env }, '1.2.3').plan.models

test('each key configures its provider', () => {
  const keys = ['ANTHROPIC', 'OPENAI', 'GEMINI', 'OPENROUTER', 'GROQ', 'MISTRAL'].map(
    (name) => [`${name}_API_KEY`, `key-of-${name}`] as const,
  )
  assert.deepEqual(
    plan(Object.fromEntries(keys)).map(({ name, key }) => [name, key]),
    keys.map(([, key]) => [key.slice(7).toLowerCase(), key]),
  )
  assert.deepEqual(plan({}), [])
})

for (const url of [
  'https://models.example/v1',
  'https://models.example',
  'http://127.0.0.1:8000/v1',
  'http://localhost:11434/v1',
  'http://[::1]:1/v1/',
]) {
  test(`takes ${url} for a server of one's own`, () => {
    assert.deepEqual(plan({ SERVICE_MODEL_BASE_URL: url }), [{ name: 'compatible', key: null, baseUrl: url }])
  })
}

const refused: [string, Record<string, string>, RegExp][] = [
  ['plain http to another machine', { SERVICE_MODEL_BASE_URL: 'http://models.example/v1' }, /SERVICE_MODEL_BASE_URL/],
  ['plain http to an address of the network', { SERVICE_MODEL_BASE_URL: 'http://10.0.0.1/v1' }, /SERVICE_MODEL_BASE_URL/],
  ['a key in the address', { SERVICE_MODEL_BASE_URL: 'https://user:secret-word@models.example/v1' }, /SERVICE_MODEL_BASE_URL/],
  ['a query in the address', { SERVICE_MODEL_BASE_URL: 'https://models.example/v1?key=secret-word' }, /SERVICE_MODEL_BASE_URL/],
  ['another protocol', { SERVICE_MODEL_BASE_URL: 'file:///etc/passwd' }, /SERVICE_MODEL_BASE_URL/],
  ['a key without its server', { SERVICE_MODEL_API_KEY: 'secret-word' }, /SERVICE_MODEL_API_KEY/],
  ['a key with a line break', { OPENAI_API_KEY: 'secret-word\nx: y' }, /OPENAI_API_KEY/],
  ['a key of blanks', { GROQ_API_KEY: 'secret word' }, /GROQ_API_KEY/],
]
for (const [what, env, name] of refused) {
  test(`refuses ${what}, and does not show it`, () => {
    assert.throws(
      () => plan(env),
      (error: Error) => name.test(error.message) && !error.message.includes('secret'),
    )
  })
}
