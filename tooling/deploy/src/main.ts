// Writes schemas/ anew, from the sources of Kubernetes and of the Prometheus Operator as the Go module proxy serves them:
//   go mod download -json k8s.io/kubernetes@v1.25.16
//   node tooling/deploy/src/main.ts DIR-OF-KUBERNETES … DIR-OF-PROMETHEUS-OPERATOR
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import { takeCustom, takeDefinitions } from './definitions.ts'

const folder = join(import.meta.dirname, '../schemas')

/** One definition a line, so that a new release can be read as a difference. */
const lines = (object: Readonly<Record<string, unknown>>): string =>
  `{\n${Object.entries(object)
    .map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n')}\n  }`

const writeKubernetes = async (directory: string, module: string): Promise<void> => {
  const document: unknown = JSON.parse(await readFile(join(directory, 'api/openapi-spec/swagger.json'), 'utf8'))
  const { kinds, definitions } = takeDefinitions(document)
  const version = module.split('@v')[1] ?? ''
  const text = `{\n  "source": ${JSON.stringify(`k8s.io/${module}, api/openapi-spec/swagger.json`)},\n  "licence": "Apache-2.0",\n  "kinds": ${lines(kinds)},\n  "definitions": ${lines(definitions)}\n}\n`
  await writeFile(join(folder, `kubernetes-${version}.json`), text)
}

const customs = ['servicemonitors', 'prometheusrules']

const writeOperator = async (directory: string, module: string): Promise<void> => {
  const parts = await Promise.all(
    customs.map(async (name) =>
      takeCustom(parse(await readFile(join(directory, `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`), 'utf8'))),
    ),
  )
  const definitions = Object.assign({}, ...parts)
  const kinds = Object.fromEntries(Object.keys(definitions).map((kind) => [kind, kind]))
  const text = `{\n  "source": ${JSON.stringify(`github.com/prometheus-operator/${module}, example/prometheus-operator-crd`)},\n  "licence": "Apache-2.0",\n  "kinds": ${lines(kinds)},\n  "definitions": ${lines(definitions)}\n}\n`
  await writeFile(join(folder, 'prometheus-operator.json'), text)
}

const directories = process.argv.slice(2)
if (directories.length === 0) {
  process.stderr.write('deploy: expected the directories of modules such as …/k8s.io/kubernetes@v1.25.16, got none\n')
  process.exit(2)
}
for (const directory of directories) {
  const module = basename(directory)
  await (module.startsWith('kubernetes@') ? writeKubernetes : writeOperator)(directory, module)
}
