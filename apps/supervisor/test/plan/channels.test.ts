// Channels by the environment: what is taken, and what ends the start by the name of its variable, never showing the value.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefusal } from '@gatehouse/kernel'
import { secretsOf } from '../../src/plan/channels.ts'
import { decidePlan } from '../../src/plan/decide.ts'

const plan = (env: Record<string, string>) => decidePlan([], { HOME: '/home/somebody', ...env }, '1.2.3').plan.channels
const key = (bytes: number): string => Buffer.alloc(bytes, 7).toString('base64')
const mail = {
  EMAIL_IMAP_URL: 'imaps://user:se%40cret@mail.example/INBOX?authserv-id=mx.example',
  EMAIL_SMTP_URL: 'smtps://user:se%40cret@mail.example',
  EMAIL_FROM: 'Agents <agents@example.org>',
}

test('credentials make their channel, and nothing makes none', () => {
  assert.deepEqual(plan({}), {})
  assert.deepEqual(plan({ WEBHOOK_SIGNING_SECRET: `whsec_${key(24)} ${key(64)}` }), { webhook: { secrets: [key(24), key(64)] } })
  const { email } = plan(mail)
  assert.deepEqual([email?.authority, email?.from], ['mx.example', 'Agents <agents@example.org>'])
})

test('a password is redacted as it is written in a url, and as it is', () => {
  const secrets = secretsOf(plan(mail))
  for (const text of ['se%40cret', 'se@cret', mail.EMAIL_IMAP_URL]) assert.ok(secrets.includes(text), text)
})

const refused = (env: Record<string, string>, pattern: RegExp): void => {
  assert.throws(
    () => plan(env),
    (error) => isRefusal(error) && error.exit === 78 && pattern.test(error.detail) && !/cret|AAAA/.test(`${error.detail}${error.hint}`),
  )
}

test('what cannot be used ends the start', () => {
  for (const secret of [key(23), key(65), 'whsec_', 'AAAA AAAA', `${key(32)},${key(32)}`])
    refused({ WEBHOOK_SIGNING_SECRET: secret }, /^WEBHOOK_SIGNING_SECRET/)
  for (const name of Object.keys(mail)) refused({ ...mail, [name]: '' }, /EMAIL_/)
  refused({ EMAIL_FROM: mail.EMAIL_FROM }, /all three or none/)
  for (const url of ['imap:secret', 'https://u:secret@h/?authserv-id=a', 'imaps://h/?authserv-id=a', 'imaps://secret@h/?authserv-id=a'])
    refused({ ...mail, EMAIL_IMAP_URL: url }, /^EMAIL_IMAP_URL/)
  for (const query of ['', '?authserv-id=', '?authserv-id=a b', '?authserv-id=a;b'])
    refused({ ...mail, EMAIL_IMAP_URL: `imaps://u:secret@h/INBOX${query}` }, /^EMAIL_IMAP_URL.*authserv-id/)
  for (const url of ['smtp://h', 'imaps://u:secret@h']) refused({ ...mail, EMAIL_SMTP_URL: url }, /^EMAIL_SMTP_URL/)
  for (const from of ['agents', 'a@b <c@d> <e@f>', 'a@b\r\nBcc: c@d']) refused({ ...mail, EMAIL_FROM: from }, /^EMAIL_FROM/)
})
