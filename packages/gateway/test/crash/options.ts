// The unit of every scenario: no witness ever answers, and what may be mounted is below /srv.
import type { UnitOptions } from '../fixtures/unit.ts'

export const unitOptions = (dir: string): UnitOptions => ({ dir, boot: { mountAllow: ['/srv'] }, evidenceWait: 1 })
