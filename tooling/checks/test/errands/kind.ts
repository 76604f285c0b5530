// A new kind of change: `rename` gives a group another name.
import type { Errand } from './errand.ts'

const definition = `// The name of a group, as people see it.
import { presentGroup } from '../state/unit-config.ts'
import { quote } from '../text.ts'
import { defineKind } from './kind.ts'

export const rename = defineKind('rename', {
  target: 'existing',
  needsRelaunch: false,
  serializedBy: null,
  narrowsSandboxes: 'never',
  appliesUnderFreeze: 'never',
  slice: (_after, context) => ({ name: presentGroup(context).name }),
  verify: () => undefined,
  risk: () => 'low',
  describe: (after, context) => \`Renames \${context.agentGroupID} to \${quote(after.name)}\`,
  apply: (after, { context }) => ({ type: 'group', group: { ...presentGroup(context), name: after.name } }),
  invert: (_after, before) => (before === null ? undefined : { kind: 'rename', after: before }),
})
`

export const kind: Errand = {
  task: 'a new kind of change',
  most: 5,
  name: [
    {
      file: 'packages/contracts/src/kinds/agents.ts',
      after: 'export const Persona = v.strictObject({ instructions: Instructions })\n',
      insert: '\nexport const Rename = v.strictObject({ name: v.pipe(v.string(), v.minLength(1), v.maxLength(128)) })\n',
    },
    { file: 'packages/contracts/src/kinds/kinds.ts', replace: 'Persona, Tools, Wiring }', by: 'Persona, Rename, Tools, Wiring }' },
    {
      file: 'packages/contracts/src/kinds/kinds.ts',
      after: 'export const kinds = {\n',
      insert: "  rename: { ...defaults, schema: Rename, summary: 'gives a group another name', risks: 'low' },\n",
    },
  ],
  rest: [
    { file: 'packages/gateway/src/kinds/rename.ts', create: definition },
    {
      file: 'packages/gateway/src/kinds/index.ts',
      after: "import { persona } from './persona.ts'\n",
      insert: "import { rename } from './rename.ts'\n",
    },
    { file: 'packages/gateway/src/kinds/index.ts', after: 'export const kindTable = {\n', insert: '  rename,\n' },
    {
      file: 'apps/console/src/components/diff/change-diff.tsx',
      after: "const views: Readonly<Record<Change['kind'], (given: ViewProps) => ComponentChildren>> = {\n",
      insert: '  rename: () => undefined,\n',
    },
  ],
  tests: [
    {
      file: 'packages/gateway/test/kinds/fuzz.test.ts',
      after: 'const likely: Readonly<Record<Kind, fc.Arbitrary<unknown>>> = {\n',
      insert: '  rename: fc.record({ name: Text }),\n',
    },
    {
      file: 'packages/gateway/test/kinds/round-trip.test.ts',
      after: 'const cases: readonly Case[] = [\n',
      insert: "  { what: 'a name', kind: 'rename', after: { name: 'B' }, inverse: 'rename' },\n",
    },
    {
      file: 'packages/contracts/test/effects.test.ts',
      after: 'const effects: Readonly<Record<Kind, Readonly<Record<string, readonly Row[]>>>> = {\n',
      insert: '  rename: { name: [create] },\n',
    },
  ],
  forgotten: [
    ['packages/gateway/src/kinds/index.ts', /'rename' is missing/],
    ['apps/console/src/components/diff/change-diff.tsx', /'rename' is missing/],
    ['packages/gateway/test/kinds/fuzz.test.ts', /'rename' is missing/],
    ['packages/contracts/test/effects.test.ts', /'rename' is missing/],
  ],
  shown: [['kinds.md', /^\| \[`rename`\]\(#rename\) \| gives a group another name \| low \|/m]],
}
