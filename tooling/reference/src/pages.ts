// The pages of docs/reference, made from the tables that the code itself uses.
import { help } from '../../../apps/supervisor/src/plan/help.ts'
import { page } from './page.ts'
import { api } from './pages/api.ts'
import { stagesPage } from './pages/audit-stages.ts'
import { cli } from './pages/cli.ts'
import { errors } from './pages/errors.ts'
import { kindsPage } from './pages/kinds.ts'
import { log } from './pages/log.ts'
import { limitsPage, metricsPage } from './pages/numbers.ts'
import { rolesPage } from './pages/roles.ts'
import { sockets } from './pages/sockets.ts'

export const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'api.md': api,
  'audit-stages.md': stagesPage,
  'cli.md': cli,
  'configuration.md': () => page('Configuration', `\`\`\`text\n${help}\`\`\``),
  'errors.md': errors,
  'kinds.md': kindsPage,
  'limits.md': limitsPage,
  'log.md': log,
  'metrics.md': metricsPage,
  'roles.md': rolesPage,
  'sockets.md': sockets,
}
