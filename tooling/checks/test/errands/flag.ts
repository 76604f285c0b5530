// A new flag: `--redact TEXT` names a text that no line of the log may show.
import type { Errand } from './errand.ts'

const unitSettings = 'apps/supervisor/src/plan/settings/unit.ts'
const row = "redact: { group: 'Unit', type: 'string', flag: 'redact', env: 'SERVICE_REDACT', value: 'TEXT' }"

export const flag: Errand = {
  task: 'a new flag or variable of `gatehouse`',
  most: 4,
  name: [
    {
      file: 'apps/supervisor/src/plan/plan.ts',
      after: '  readonly masterKeyFile: string | null\n',
      insert: '  /** A text that no line of the log shows. */\n  readonly redact: string | null\n',
    },
    // Its row, without the help text.
    { file: unitSettings, after: 'export const unitSettings = {\n', insert: `  ${row},\n` },
  ],
  rest: [
    { file: unitSettings, replace: row, by: row.replace(' }', ", help: 'a text that no line of the log shows' }") },
    { file: 'apps/supervisor/src/plan/decide.ts', after: '    stateDir,\n', insert: '    redact: values.redact ?? null,\n' },
    {
      file: 'apps/supervisor/src/prepare.ts',
      after: '  await sweep(plan.stateDir)\n',
      insert: '  if (plan.redact !== null) redactor.add(plan.redact)\n',
    },
  ],
  forgotten: [
    ['apps/supervisor/src/plan/decide.ts', /'redact' is missing/],
    [unitSettings, /'?help'? is missing/],
  ],
  shown: [['configuration.md', /--redact TEXT +a text that no line of the log shows \[SERVICE_REDACT\]/]],
}
