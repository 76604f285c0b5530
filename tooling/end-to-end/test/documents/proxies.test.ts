// The how-to about proxies, followed word for word with real ones and a certificate of the test's own. GATEHOUSE_TRAEFIK: path of a Traefik.
// Profile: rest. Follows pages with real proxies, one after the other.
import { copyFile, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '@gatehouse/client'
import { execa } from 'execa'
import { follow } from '../../src/documents/follow.ts'
import { freePort, startUnit } from '../../src/unit.ts'
import { waitFor } from '../../src/wait-for.ts'
import { production } from '../fixtures/production.ts'

const traefik = process.env['GATEHOUSE_TRAEFIK']

const lacking = async (): Promise<string | false> => {
  const found = await Promise.all(
    ['caddy version', 'nginx -v'].map((line) => execa(line.split(' ')[0] ?? '', line.split(' ').slice(1), { reject: false })),
  )
  if (found.every(({ failed }) => !failed)) return false
  const reason = 'needs caddy and nginx, install with: apt-get install -y --no-install-recommends caddy nginx'
  if (process.env['CI'] === 'true') throw new Error(reason)
  return reason
}
const skip = await lacking()

const certify = async (directory: string): Promise<void> => {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const made = ['-keyout', 'key.pem', '-out', 'certificate.pem', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  await execa('openssl', ['req', '-x509', ...key, ...made], { cwd: directory })
}

const reason = 'GATEHOUSE_TRAEFIK names no Traefik; Debian has none'
const ofTraefik = { 'traefik --configFile': reason, entryPoints: reason, 'routers:': reason }

test('Caddy, nginx and, where it is there, Traefik end TLS before a unit that answers to its public name alone', { skip }, async (t) => {
  const { base, stateDir, places, env } = await production(t)
  await certify(base)
  // The token is minted at the first start; a person carries it to the other machine.
  const first = await startUnit({ stateDir, flags: ['--sandbox', 'off'] })
  await first.stop()
  await copyFile(join(stateDir, 'admin-token'), join(base, 'admin-token'))

  const [tls, plain] = [await freePort(), await freePort()]
  const ca = join(base, 'certificate.pem')
  const address = `http://127.0.0.1:${await freePort()}`
  const client = createClient({ address, token: (await readFile(join(base, 'admin-token'), 'utf8')).trim() })
  let listening = false
  /** Something to hear of, for as long as the page listens: without it the page waits for the next sign of life. */
  const makeNews = (): Promise<unknown> =>
    waitFor('the page to have heard', 60_000, async () => {
      if (!listening) return true
      await client.freezes.freeze({ reason: 'news' })
      await client.freezes.unfreeze({ reason: 'news' })
      return false
    })
  let news: Promise<unknown> = Promise.resolve()
  await follow('docs/how-to/behind-a-proxy.md', {
    address,
    before: ({ text }) => {
      listening = text.includes('/v1/events')
      if (listening) news = makeNews()
      return Promise.resolve()
    },
    directory: base,
    listens: { proxy: tls },
    places: {
      ...places,
      // Caddy would ask for a public certificate, and would listen at port 80 for redirects.
      'gatehouse.example.org {': `{\n\tadmin off\n\thttp_port ${plain}\n}\nlocalhost:${tls} {\n\ttls certificate.pem key.pem`,
      'Host(`gatehouse.example.org`)': 'Host(`localhost`)',
      'server_name gatehouse.example.org': 'server_name localhost',
      'listen 443': `listen 127.0.0.1:${tls}`,
      "':443'": `'127.0.0.1:${tls}'`,
      'gatehouse.example.org': `localhost:${tls}`,
    },
    env: {
      ...env,
      SERVICE_CA_FILE: ca,
      CURL_CA_BUNDLE: ca,
      ...(traefik !== undefined && { PATH: `${dirname(traefik)}:${process.env['PATH'] ?? ''}` }),
    },
    ...(traefik === undefined && { notRun: ofTraefik }),
  })
  await news
})
