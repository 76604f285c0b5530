// One spelling of each place and person of a channel.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalAddress, canonicalUser, channels, lowerASCII, Member } from '../src/index.ts'
import * as v from 'valibot'

test('an address of the web is spelled as it is requested', () => {
  for (const text of [
    'HTTPS://Ops.Example:443/ops',
    'https://ops.example/%6fps',
    'https://ops.example./a/../ops?#x',
    'https://ops.example/%2E/ops',
  ])
    assert.equal(canonicalAddress('webhook', text), 'https://ops.example/ops', text)
  assert.equal(canonicalAddress('webhook', 'https://b\u00fccher.example/%c3%bc?q=%7e'), 'https://xn--bcher-kva.example/%C3%BC?q=~')
  for (const text of ['desk', 'Desk', 'https://', 'HTTP:ops', 'ftp://Ops.example/']) assert.equal(canonicalAddress('webhook', text), text)
})

test('addresses that ask for different things stay different', () => {
  const all = [
    'http://a/b',
    'https://a/b',
    'https://a:8443/b',
    'https://a/B',
    'https://a/b/',
    'https://a/b?c',
    'https://a/b%2Fc',
    'https://a/b/c',
    'https://u@a/b',
  ]
  assert.equal(new Set(all.map((text) => canonicalAddress('webhook', text))).size, all.length)
})

test('capitals of ASCII make no difference in mail, and no other letter becomes one of ASCII', () => {
  assert.equal(canonicalUser('email', 'Kim@Example.ORG'), 'kim@example.org')
  for (const text of ['\u212aim@example.org', 'kim@example.\u212arg', '\u0130@example.org'])
    assert.equal(canonicalUser('email', text), text)
  assert.equal(lowerASCII('\u212aK\u0130I'), '\u212ak\u0130i')
})

test('numbers of Telegram and ids of Slack have one spelling, names of programs are as they are', () => {
  assert.deepEqual(
    ['+0123', '-0', '-100123'].map((text) => canonicalAddress('telegram', text)),
    ['123', '0', '-100123'],
  )
  assert.deepEqual(
    ['u012ab3cd', '#general', 'constructor'].map((text) => canonicalUser('slack', text)),
    ['U012AB3CD', '#general', 'constructor'],
  )
  assert.deepEqual(v.parse(Member, { channel: 'webhook', user: ' Kim ' }), { channel: 'webhook', user: 'Kim' })
})

test('a canonical spelling is its own', () => {
  const names = [
    'HTTP://x/%7e%2f%2e%2e/?%41#b',
    'https://x.:443/a%',
    'https://x/%%37e',
    'https://[::ffff:1.2.3.4]/',
    '+00',
    'c012ab3cd',
    'K@X.y',
    '',
  ]
  for (const channel of channels)
    for (const spell of [canonicalAddress, canonicalUser])
      for (const name of names) assert.equal(spell(channel, spell(channel, name)), spell(channel, name), `${channel} ${name}`)
})
