// Full profile: the page about Kubernetes, followed in a cluster of one node: its own API server, kubelet, runtime, network and names.
// Profile: rest. One way to deploy, in a cluster of its own.
import assert from 'node:assert/strict'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { waitFor } from '@gatehouse/end-to-end'
import { follow } from '@gatehouse/end-to-end/documents'
import { parse, stringify } from 'yaml'
import { openCluster, type Cluster } from '../../src/cluster/open-cluster.ts'
import { openHelms } from '../chart/helm.ts'
import { copyChart } from '../chart/weaken.ts'
import { standard, type Weakening } from '../chart/weakenings.ts'
import { root } from '../files.ts'
import { tellFault } from './faults.ts'
import { type Hand, openHand } from './hand.ts'
import { clusterPrograms, lacksCluster } from './needs.ts'
import { makeVolume, storageClass } from './volumes.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
if (full && lacksCluster !== false && process.env['CI'] === 'true') throw new Error(lacksCluster)

const page = 'docs/how-to/kubernetes.md'
const agents = 'kubectl --namespace agents'
const rolledOut = `${agents} rollout status statefulset/gatehouse --timeout 240s`

/** Those that the page shows, the first `count` of its blocks. */
const shownValues = async (digest: string, count: number): Promise<string> => {
  const text = (await readFile(join(root, page), 'utf8')).replace(/sha256:1+/, digest)
  const blocks = [...text.matchAll(/^```yaml\b[^\n]*\n(.*?)^```$/gms)].map(([, block = '']): unknown => parse(block))
  return stringify(Object.assign({}, ...blocks.slice(0, count)))
}
const [least, allButMonitoring, all] = [1, 3, 4]

const define = (): void => {
  suite('the page about Kubernetes, in a cluster', { skip: lacksCluster }, () => {
    let cluster: Cluster
    let hand: Hand
    before(async () => {
      cluster = await openCluster(clusterPrograms)
      hand = await openHand(cluster)
      await symlink(join(root, 'charts'), join(hand.directory, 'charts'))
      await writeFile(join(hand.directory, 'tool-servers.env'), 'EXAMPLE_KEY=x\n')
      await hand.type('kubectl apply --filename -', storageClass)
      await hand.type('kubectl apply --filename -', await makeVolume(cluster.directory, 'state', 'local'))
    })
    after(() => cluster?.[Symbol.asyncDispose]())

    const tokens = (): Promise<string> => hand.type(`${agents} exec gatehouse-0 -- /bin/svcctl token list`)
    const things = async (): Promise<string[]> =>
      (await hand.type(`${agents} get all,ingress,networkpolicy,serviceaccount,pvc,configmap --output name`)).trim().split('\n').toSorted()
    const writeValues = async (count: number): Promise<void> =>
      writeFile(join(hand.directory, 'values.yaml'), await shownValues(cluster.digest, count))

    test('is followed word for word', async () => {
      await follow(page, {
        inside: cluster.inside,
        directory: hand.directory,
        env: hand.env,
        address: 'http://127.0.0.1:8787',
        places: { [`sha256:${'1'.repeat(64)}`]: cluster.digest },
        answers: async () => (await hand.try('curl --silent --fail http://127.0.0.1:8787/healthz')).code === 0,
        before: async (step) => {
          if (!step.text.includes(' rollback ')) return
          assert.match(await hand.type('curl --silent --fail http://127.0.0.1:8787/ui/'), /<html/)
          await writeValues(allButMonitoring)
        },
      })
      await hand.type(rolledOut)
      assert.match(await tokens(), /prometheus/)
    })

    test('lets no pod in whose chart has lost a line that hardens it', async () => {
      await using helms = await openHelms()
      await using copy = await copyChart(helms.all[0])
      const offer = async (weakening?: Weakening) => {
        const unit = (await copy.render(weakening)).find(({ kind }) => kind === 'StatefulSet')
        const made = unit?.spec as { template: { spec: object } } | undefined
        const spec = { ...made?.template.spec, serviceAccountName: 'default' }
        return hand.try(`${agents} create --dry-run=server --filename -`, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'offered' },
          spec,
        })
      }
      const whole = await offer()
      assert.equal(whole.code, 0, whole.said)
      for (const weakening of standard) {
        const { code, said } = await offer(weakening)
        assert.equal(code, 1, `${weakening.line} as ${weakening.becomes}: ${said}`)
        assert.match(said, /violates PodSecurity "restricted|is invalid/)
      }
    })

    test('comes back with its state when its pod is killed', async () => {
      await hand.type(`${agents} delete pod gatehouse-0 --grace-period=0 --force`)
      await hand.type(rolledOut)
      assert.match(await tokens(), /prometheus/)
    })

    test('is refused as a whole where it wants the Prometheus Operator and there is none', async () => {
      const before = await things()
      await writeValues(all)
      const { code, said } = await hand.try('helm --namespace agents upgrade gatehouse charts/gatehouse --values values.yaml')
      assert.equal(code, 1)
      assert.match(said, /no matches for kind "(ServiceMonitor|PrometheusRule)"/)
      assert.deepEqual(await things(), before)
    })

    test('leaves its claim when it is uninstalled, and takes it up again by Helm 3', async () => {
      await hand.type('helm --namespace agents uninstall gatehouse --wait')
      const left = ['configmap/kube-root-ca.crt', 'persistentvolumeclaim/gatehouse-state', 'serviceaccount/default']
      await waitFor('all but the claim to go', 120_000, async () => (await things()).join(' ') === left.join(' '))
      await writeValues(least)
      await hand.type('helm3 --namespace agents install gatehouse charts/gatehouse --values values.yaml')
      await hand.type(rolledOut)
      await hand.type('helm3 --namespace agents test gatehouse')
      assert.match(await tokens(), /prometheus/)
    })

    test('says in the log what the page has a row for', async () => {
      const second = await tellFault(hand, { release: 'second', set: '--set persistence.existingClaim=gatehouse-state' })
      assert.equal(second.code, '75', second.log)
      assert.match(second.log, /holds the state/)
      await hand.type('kubectl apply --filename -', await makeVolume(cluster.directory, 'of-root', 'hostPath'))
      const ofRoot = await tellFault(hand, { release: 'rooted', set: '--set persistence.storageClassName=by-hand' })
      assert.equal(ofRoot.code, '77', ofRoot.log)
      assert.match(ofRoot.log, /chown -R 65532:65532 /)
    })
  })
}

if (full) define()
