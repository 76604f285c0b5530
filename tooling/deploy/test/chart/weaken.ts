// A copy of the chart in which one line at a time may be weakened, and what it then renders.
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chart, type Helm } from './helm.ts'
import { type KubernetesObject, parseObjects } from './objects.ts'
import type { Weakening } from './weakenings.ts'

export interface Weakenable extends AsyncDisposable {
  /** Nothing is weakened where nothing is given. */
  render(weakening?: Weakening): Promise<KubernetesObject[]>
}

const values = ['least', 'ingress'].flatMap((set) => ['--values', join(chart, `ci/${set}-values.yaml`)])

export const copyChart = async (helm: Helm | undefined): Promise<Weakenable> => {
  const copy = await mkdtemp(join(tmpdir(), 'gatehouse-chart-'))
  await cp(chart, copy, { recursive: true, dereference: true })
  const render: Weakenable['render'] = async (weakening) => {
    const path = join(copy, 'templates', weakening?.file ?? 'statefulset.yaml')
    const text = await readFile(path, 'utf8')
    if (weakening !== undefined) {
      assert.equal(text.split(weakening.line).length, 2, `expected ${JSON.stringify(weakening.line)} once in ${weakening.file}`)
      await writeFile(
        path,
        text.replace(weakening.line, () => weakening.becomes),
      )
    }
    try {
      const { code, out, err } = (await helm?.run(['template', 'unit', copy, ...values])) ?? { code: 1, out: '', err: 'no Helm' }
      assert.equal(code, 0, err)
      return parseObjects(out)
    } finally {
      await writeFile(path, text)
    }
  }
  return { render, [Symbol.asyncDispose]: () => rm(copy, { recursive: true, force: true }) }
}
