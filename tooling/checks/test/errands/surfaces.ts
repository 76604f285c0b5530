// New routes, limits and commands.
import type { Errand } from './errand.ts'

export const route: Errand = {
  task: 'a new route',
  most: 4,
  name: [
    {
      file: 'packages/control-plane/src/routes/freeze.ts',
      replace: 'import { Freeze, FreezeBody, FreezeList, limits }',
      by: 'import { Freeze, FreezeBody, FreezeCount, FreezeList, limits }',
    },
  ],
  rest: [
    {
      file: 'packages/contracts/src/http/admin.ts',
      after: 'export type FreezeList = v.InferOutput<typeof FreezeList>\n',
      insert: 'export const FreezeCount = v.strictObject({ count: v.number() })\n',
    },
    { file: 'packages/contracts/src/index.ts', replace: '  FreezeBody,\n', by: '  FreezeBody,\n  FreezeCount,\n' },
    {
      file: 'packages/control-plane/src/routes/freeze.ts',
      replace: 'export const freezeRoutes = new Hono<Env>()\n',
      by: `export const freezeRoutes = new Hono<Env>()
  .get('/v1/freeze/count', guarded({ summary: 'How many freezes hold', tag, answers: { 200: json('The number', FreezeCount) } }), async (c) => {
    const { items } = await c.var.unit.peers.gateway.freezes({ token: c.var.token }, c.var.call)
    return c.json({ count: items.length })
  })
`,
    },
    { file: 'packages/client/src/create-console-client.ts', replace: '  FreezeList,\n', by: '  FreezeCount,\n  FreezeList,\n' },
    {
      file: 'packages/client/src/create-console-client.ts',
      after: '  freezes: {\n',
      insert: "    count: (options?: CallOptions) => send({ method: 'GET', path: '/v1/freeze/count' }, FreezeCount, options),\n",
    },
  ],
  forgotten: [['packages/control-plane/src/routes/freeze.ts', /FreezeCount/]],
  shown: [['api.md', /\/v1\/freeze\/count/]],
}

export const limit: Errand = {
  task: 'a new limit, code, metric or frozen constant',
  most: 1,
  name: [{ file: 'packages/contracts/src/limits.ts', after: 'export const limits = {\n', insert: '  pagerText: 120,\n' }],
  rest: [],
  forgotten: [],
  shown: [['limits.md', /^\| `pagerText` \| 120 \|$/m]],
}

export const command: Errand = {
  task: 'a new command',
  most: 1,
  name: [
    {
      file: 'apps/svcctl/src/commands/group/count.ts',
      create: `// svcctl group count
import * as v from 'valibot'
import { UnitCommand } from '../../unit-command.ts'

export class GroupCount extends UnitCommand<number> {
  static override summary = 'Count the agent groups.'
  static override result = v.number()
  static override examples = ['svcctl group count']

  async run(): Promise<number> {
    const { flags } = await this.parse(GroupCount)
    const client = await this.connect(flags)
    const { items } = await client.groups.list()
    this.print(String(items.length))
    return items.length
  }
}
`,
    },
  ],
  rest: [],
  forgotten: [],
  shown: [['cli.md', /^#+ svcctl group count$/m]],
}
