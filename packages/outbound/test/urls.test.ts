// More than a hundred urls, from their text to the address that would be dialled. The dial is a seam: it looks the name up as a
// socket would, writes down what it was given, and opens nothing.
import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { test } from 'node:test'
import { checkServerUrl } from '@gatehouse/contracts'
import { createOutlet, type Dial, OutboundFailure, type Reach, type Resolve } from '../src/index.ts'

const addressOf = (address: string): LookupAddress => ({ address, family: isIP(address) })

interface Attempt {
  readonly url: string
  /** What the name leads to, each time it is asked for; the last one stays. */
  readonly leadsTo?: readonly string[][]
  readonly reach?: Reach
  readonly ownAddress?: string
}

/** What became of it: the addresses that were dialled, or why none was. */
const attempt = async ({ url, leadsTo = [[]], reach = 'any', ownAddress = '127.0.0.1:8787' }: Attempt): Promise<string> => {
  if (checkServerUrl(url) !== null) return 'text'
  const answers = [...leadsTo]
  const resolve: Resolve = (_, options, done) => {
    const found = (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    assert.equal(options.all, true)
    done(found.length === 0 ? Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }) : null, found.map(addressOf))
  }
  let dialled: string | undefined
  const dial: Dial =
    ({ lookup }) =>
    (to, done) => {
      const literal = to.hostname.replace(/^\[|\]$/g, '')
      const stop = (addresses: string): void => {
        dialled = addresses
        done(new Error('the seam opens nothing'), null)
      }
      if (isIP(literal) !== 0) return stop(literal)
      lookup(to.hostname, { all: true }, (error, found) => {
        if (error !== null) done(error, null)
        else stop(Array.isArray(found) ? found.map(({ address }) => address).join() : found)
      })
    }
  const outlet = createOutlet({
    url: new URL(url),
    ownAddress,
    settings: { proxy: null, noProxy: [], authorities: null },
    reach,
    most: 1,
    resolve,
    dial,
  })
  try {
    await outlet.fetch(url)
    return 'answered'
  } catch (error) {
    if (dialled !== undefined) return dialled
    return error instanceof OutboundFailure ? error.kind : String((error as { code?: string }).code)
  } finally {
    await outlet.close()
  }
}

const refusedByText = [
  'http://mcp.example/',
  'http://10.0.0.7/',
  'http://0.0.0.0/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://127.0.0.1.evil.example/',
  'http://localhost.evil.example/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://169.254.169.254/latest',
  'http://localhost@evil.example/',
  'https://user:pass@mcp.example/',
  'https://mcp.example\\@evil.example/',
  'https:\\\\evil.example',
  'https://127。0。0。1/',
  'https://exämple.com/',
  'ftp://mcp.example/',
  'file:///etc/passwd',
  'ws://localhost/',
  'javascript:alert(1)',
  '//mcp.example/',
  'mcp.example',
  'https://mcp.example/?key=${KEY}',
  'https://[::1/',
]
for (const url of refusedByText)
  test(`refuses the text of ${url}`, async () => {
    assert.equal(await attempt({ url }), 'text')
  })

/** Never dialled, whoever wrote the entry: written out in the url, also in disguise. */
const literals = [
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '0xA9.254.0251.254',
  '0.0.0.0',
  '0',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[fe80::1]',
  '[ff02::1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  '[::a9fe:a9fe]',
  '[64:ff9b::169.254.169.254]',
  '[2002:a9fe:a9fe::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
]
for (const literal of literals)
  test(`never dials https://${literal}/`, async () => {
    assert.equal(await attempt({ url: `https://${literal}/` }), 'address-refused')
  })

/** A name that leads there, alone or among good ones. */
const never = [
  '169.254.169.254',
  '169.254.170.2',
  '0.0.0.0',
  '100.100.100.200',
  '239.255.255.250',
  '::',
  'fe80::1',
  '::ffff:169.254.169.254',
  '64:ff9b::a9fe:a9fe',
]
for (const address of never) {
  test(`never dials a name that leads to ${address}`, async () => {
    assert.equal(await attempt({ url: 'https://mcp.example/', leadsTo: [[address]] }), 'address-refused')
  })
  test(`never dials a name that leads to ${address} among others`, async () => {
    assert.equal(await attempt({ url: 'https://mcp.example/', leadsTo: [['93.184.216.34', address]] }), 'address-refused')
  })
}

const inside = [
  '127.0.0.1',
  '127.8.8.8',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.2.1',
  '203.0.113.9',
  '::1',
  'fc00::1',
  'fd12:3456::1',
  'fec0::1',
  '::ffff:10.0.0.1',
  '::ffff:192.168.0.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '2002:a00:1::1',
  '2002:c0a8:101::1',
]
for (const address of inside) {
  test(`dials ${address} where any address may be reached`, async () => {
    assert.equal(await attempt({ url: 'https://mcp.example/', leadsTo: [[address]] }), address)
  })
  test(`does not dial ${address} where only public ones may be reached`, async () => {
    assert.equal(await attempt({ url: 'https://mcp.example/', leadsTo: [[address]], reach: 'public' }), 'address-refused')
  })
}

for (const address of ['93.184.216.34', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '64:ff9b::1.1.1.1', '2002:101:101::1'])
  test(`dials the public ${address}`, async () => {
    assert.equal(await attempt({ url: 'https://mcp.example/', leadsTo: [[address]], reach: 'public' }), address)
  })

for (const [name, leadsTo] of [
  ['localhost', ['93.184.216.34']],
  ['localhost', ['10.0.0.1']],
  ['localhost', ['127.0.0.1', '10.0.0.1']],
] as const)
  test(`dials nothing for http://${name}/ that leads to ${leadsTo.join()}`, async () => {
    assert.equal(await attempt({ url: `http://${name}/`, leadsTo: [[...leadsTo]] }), 'address-refused')
  })

test('dials loopback for plain http, and the admin API of its own unit never', async () => {
  assert.equal(await attempt({ url: 'http://localhost:9000/', leadsTo: [['127.0.0.1', '::1']] }), '127.0.0.1,::1')
  assert.equal(await attempt({ url: 'http://localhost:8787/', leadsTo: [['127.0.0.1']] }), 'address-refused')
  assert.equal(await attempt({ url: 'https://mcp.example:8787/', leadsTo: [['127.0.0.1']] }), 'address-refused')
  assert.equal(await attempt({ url: 'https://mcp.example:8787/', leadsTo: [['10.0.0.9']], ownAddress: '10.0.0.9:8787' }), 'address-refused')
})

test('dials what was judged: the name is asked for once, and what it would lead to next does not count', async () => {
  const leadsTo = [['93.184.216.34'], ['169.254.169.254']]
  assert.equal(await attempt({ url: 'https://mcp.example/', leadsTo }), '93.184.216.34')
  assert.equal(await attempt({ url: 'https://mcp.example/', leadsTo, reach: 'public' }), '93.184.216.34')
  assert.equal(await attempt({ url: 'https://mcp.example/', leadsTo: leadsTo.toReversed() }), 'address-refused')
  assert.equal(await attempt({ url: 'https://mcp.example/', leadsTo: [[]] }), 'ENOTFOUND')
})
