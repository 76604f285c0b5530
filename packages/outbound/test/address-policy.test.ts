// Which addresses are dialled, whatever a name turns into.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressPolicy } from '../src/address-policy.ts'

const policy = (url: string, ownAddress = '127.0.0.1:8787') => createAddressPolicy({ url: new URL(url), ownAddress })
const isAllowed = (url: string, address: string, ownAddress?: string): boolean => {
  try {
    policy(url, ownAddress).check(address)
    return true
  } catch {
    return false
  }
}

const never = [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '169.254.0.1',
  '224.0.0.1',
  '239.1.2.3',
  '255.255.255.255',
  '100.100.100.200',
  '192.0.0.192',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  'fd00:ec2::254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '[fe80::1]',
  '::ffff:0.0.0.0',
  '64:ff9b::169.254.169.254',
]
for (const address of never)
  test(`never dials ${address}`, () => {
    assert.equal(isAllowed('https://a.example/', address), false)
    assert.equal(isAllowed('http://localhost/', address), false)
  })

for (const address of ['93.184.216.34', '10.0.0.7', '192.168.1.1', '2001:db8::1', 'fd12::1', '127.0.0.1', '::1'])
  test(`dials ${address} over https`, () => {
    assert.equal(isAllowed('https://a.example/', address), true)
  })

test('dials loopback alone over http, whatever localhost is said to be', () => {
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])
    assert.equal(isAllowed('http://localhost/', address), true, address)
  for (const address of ['10.0.0.7', '93.184.216.34', '2001:db8::1', '::ffff:10.0.0.7', 'fd12::1'])
    assert.equal(isAllowed('http://localhost/', address), false, address)
})

test('never dials the admin API of its own unit', () => {
  assert.equal(isAllowed('http://localhost:8787/', '127.0.0.1'), false)
  assert.equal(isAllowed('http://127.0.0.2:8787/', '127.0.0.2'), false)
  assert.equal(isAllowed('https://a.example:8787/', '::1'), false)
  assert.equal(isAllowed('https://a.example:8787/', '10.0.0.7'), true)
  assert.equal(isAllowed('http://localhost:8788/', '127.0.0.1'), true)
  assert.equal(isAllowed('http://localhost:8787/', '127.0.0.1', '0.0.0.0:8787'), false)
  assert.equal(isAllowed('http://localhost:8787/', '::1', '[::1]:8787'), false)
  assert.equal(isAllowed('https://a.example/', '10.0.0.7', '10.0.0.7:443'), false)
})

const lookup = (url: string, hostname: string): Promise<{ error: Error | null; addresses: unknown }> =>
  new Promise((resolve) => policy(url).lookup(hostname, { all: true }, (error, addresses) => resolve({ error, addresses })))

test('hands on the addresses of a name only when all were checked', async () => {
  const { error, addresses } = await lookup('http://localhost/', 'localhost')
  assert.equal(error, null)
  assert.ok(Array.isArray(addresses) && addresses.length > 0)
})

test('gives a single address where one is asked for', async () => {
  const found = await new Promise((resolve) =>
    policy('http://localhost/').lookup('127.0.0.1', {}, (error, address, family) => resolve([error, address, family])),
  )
  assert.deepEqual(found, [null, '127.0.0.1', 4])
  const refused = await new Promise((resolve) => policy('https://a.example/').lookup('169.254.169.254', {}, (error) => resolve(error)))
  assert.match(String(refused), /may not be dialled/)
})
