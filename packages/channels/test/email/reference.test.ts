// Letters to people who have not written: to plain addresses alone, each in a thread of its own that what follows keeps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import { directTo, Reply } from '../../src/email/loops.ts'
import { account } from '../fixtures/mail.ts'

const direct = directTo(account)
const concern = { subject: 'Change 1', thread: 'f'.repeat(24), earlier: undefined, reference: {} }

test('the first letter answers nothing, the next one the first, and one in a conversation stays in it', () => {
  assert.deepEqual(direct('kim@example.org', concern), { to: 'kim@example.org', subject: 'Change 1', references: [], opens: true })
  const next = direct('kim@example.org', { ...concern, earlier: 'msg_1' })
  assert.deepEqual(next, {
    to: 'kim@example.org',
    subject: 'Change 1',
    references: [`<msg_1.${'f'.repeat(24)}@example.org>`],
    opens: false,
  })
  const reference = { to: 'kim@example.org', subject: 'Deploy', references: ['<m1@x>'] }
  assert.equal(direct('kim@example.org', { ...concern, reference }), reference)
})

test('a name that is no plain address is written to nobody', () => {
  for (const user of [
    'kim',
    'Kim <kim@example.org>',
    'kim@example.org, mallory@evil.example',
    'kim@example.org\r\nBcc: mallory@evil.example',
    'kim@example.org>',
    '"kim"@example.org',
    'kim@exam\u0440le.org',
    ' kim@example.org',
    'kim@example.org\u0000',
    '',
  ])
    assert.equal(v.safeParse(Reply, direct(user, concern)).success, false, JSON.stringify(user))
})
