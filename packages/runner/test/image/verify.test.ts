// The image of sandboxes is used only when the operator's key signed its digest, and whatever else a registry says is a refusal.
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { isServiceError } from '@gatehouse/contracts'
import { parseImage } from '../../src/image/registry.ts'
import { isSignatureOf, verifyImage } from '../../src/image/verify.ts'
import { type Behaviour, imageDigest, type Layer, layerOf, payloadOf, serveSignatures } from '../fixtures/signatures.ts'

const ours = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const others = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = ours.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const otherDigest = `sha256:${'b'.repeat(64)}`
const outbound = { proxy: null, noProxy: [], authorities: null }
const options = { key, ownAddress: '127.0.0.1:8787', outbound }
const good = layerOf(payloadOf(imageDigest), ours.privateKey)

const serve = async (t: TestContext, layers: readonly Layer[], behave?: Behaviour) => {
  const registry = await serveSignatures(layers, behave)
  t.after(registry.close)
  return registry
}

const refused = (work: Promise<void>, reason: RegExp): Promise<void> =>
  assert.rejects(work, (error: unknown) => {
    assert.ok(isServiceError(error))
    assert.equal(error.code, 'no-sandbox')
    assert.match(error.detail, reason)
    assert.match(error.detail, /SERVICE_IMAGE_KEY|SERVICE_SANDBOX_IMAGE/)
    return true
  })

describe('an image with a key', () => {
  it('is taken when the key signed its digest, also among signatures of others', async (t) => {
    const { image } = await serve(t, [good])
    await verifyImage(image, options)
    const among = await serve(t, [layerOf(payloadOf(imageDigest, 'cosign container image signature'), others.privateKey), good])
    await verifyImage(among.image, options)
  })

  it('is refused when nobody signed it, another key did, or ours signed another image or another kind of thing', async (t) => {
    const cases: readonly (readonly [readonly Layer[], RegExp])[] = [
      [[], /got none/],
      [[layerOf(payloadOf(imageDigest), others.privateKey)], /got 1 of others or of another image/],
      [[layerOf(payloadOf(otherDigest), ours.privateKey)], /got 1 of others or of another image/],
      [[layerOf(payloadOf(imageDigest, 'a release note'), ours.privateKey)], /got 1 of others/],
      [[{ ...good, mediaType: 'text/plain' }], /got 0 of others/],
      [[{ ...good, signature: '' }], /got 1 of others/],
      [[{ ...good, signature: sign('sha512', good.payload, ours.privateKey).toString('base64') }], /got 1 of others/],
    ]
    for (const [layers, reason] of cases) {
      const { image } = await serve(t, layers)
      await refused(verifyImage(image, options), reason)
    }
  })

  it('is refused when the registry gives other bytes, other words, too many of them, or nothing', async (t) => {
    const isBlob = ({ url = '' }: { url?: string | undefined }): boolean => url.includes('/blobs/')
    const changed = await serve(t, [good], (request, response) => isBlob(request) && response.end(payloadOf(otherDigest)) !== undefined)
    await refused(verifyImage(changed.image, options), /does not match the requested digest/)
    const words = await serve(t, [good], (_request, response) => response.end('<html>') !== undefined)
    await refused(verifyImage(words.image, options), /no list of signatures/)
    const flood = await serve(t, [good], (_request, response) => response.end(Buffer.alloc(2 * 1024 * 1024)) !== undefined)
    await refused(verifyImage(flood.image, options), /more than may be read/)
    const broken = await serve(t, [good], (_request, response) => response.writeHead(500).end() !== undefined)
    await refused(verifyImage(broken.image, options), /answered 500/)
    const gone = await serveSignatures([good])
    await gone.close()
    await refused(verifyImage(gone.image, options), /no answer/)
  })

  it('is read by the way that a registry shows: a token for strangers, and a place on the same host', async (t) => {
    const guarded = await serve(t, [good], (request, response) => {
      const { host = '' } = request.headers
      const path = request.url ?? ''
      if (path.startsWith('/token')) {
        assert.equal(path, '/token?service=here&scope=repository%3Aagents%2Fsandbox%3Apull')
        response.end(JSON.stringify({ token: 'for-strangers' }))
        return true
      }
      if (request.headers.authorization === 'Bearer for-strangers') return false
      const challenge = `Bearer realm="http://${host}/token",service="here",scope="repository:agents/sandbox:pull"`
      response.writeHead(401, { 'www-authenticate': challenge }).end()
      return true
    })
    await verifyImage(guarded.image, options)
    const moved = await serve(t, [good], ({ url = '' }, response) => {
      if (!url.includes('/blobs/') || url.endsWith('?moved')) return false
      response.writeHead(307, { location: `${url}?moved` }).end()
      return true
    })
    await verifyImage(moved.image, options)
    assert.ok(moved.asked.some(({ path }) => path.endsWith('?moved')))
  })

  it('is not looked for in a circle, nor without TLS on another host, nor at the address of the unit', async (t) => {
    const circle = await serve(t, [good], ({ url = '/' }, response) => response.writeHead(302, { location: url }).end() !== undefined)
    await refused(verifyImage(circle.image, options), /from place to place, more than 3 times/)
    assert.equal(circle.asked.length, 4)
    const elsewhere = await serve(t, [good])
    const location = `http://127.0.0.1:${elsewhere.port}/v2/`
    const away = await serve(t, [good], (_request, response) => response.writeHead(302, { location }).end() !== undefined)
    await refused(verifyImage(away.image, options), /without TLS/)
    assert.equal(elsewhere.asked.length, 0)
    const own = await serve(t, [good])
    await refused(verifyImage(own.image, { ...options, ownAddress: `127.0.0.1:${own.port}` }), /may not be dialled/)
  })

  it('is named after its registry as container engines have it', () => {
    const shown = (image: string): string => {
      const { registry, repository } = parseImage(`${image}@${imageDigest}`)
      return `${registry.origin}/${repository}`
    }
    assert.equal(shown('registry.example/agents/sandbox'), 'https://registry.example/agents/sandbox')
    assert.equal(shown('registry.example:5000/sandbox:v1'), 'https://registry.example:5000/sandbox')
    assert.equal(shown('localhost:5000/sandbox'), 'http://localhost:5000/sandbox')
    assert.equal(shown('gatehouse/sandbox'), 'https://registry-1.docker.io/gatehouse/sandbox')
    assert.equal(shown('docker.io/sandbox'), 'https://registry-1.docker.io/library/sandbox')
    for (const name of ['registry.example/../../v2', 'registry.example/a?b', 'user@registry.example/a', 'registry.example/UPPER', '']) {
      assert.throws(() => parseImage(`${name}@${imageDigest}`), /expected an image such as/, name)
    }
    assert.throws(() => parseImage('registry.example/sandbox:v1'), /expected an image such as/)
  })

  it('needs the signature and the digest both: whoever looks at one alone would take a forgery', () => {
    const forged = layerOf(payloadOf(imageDigest), others.privateKey)
    const replayed = layerOf(payloadOf(otherDigest), ours.privateKey)
    const judged = ({ payload, signature }: Layer): boolean =>
      isSignatureOf({ payload, signature: Buffer.from(signature, 'base64') }, { digest: imageDigest, key })
    assert.deepEqual([good, forged, replayed].map(judged), [true, false, false])
    const namesOnly = ({ payload }: Layer): boolean => payload.includes(imageDigest)
    assert.equal(namesOnly(forged), true, 'the weakened judge takes the forgery')
  })
})
