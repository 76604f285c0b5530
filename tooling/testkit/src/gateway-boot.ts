// The boot message of a gateway without configuration: nothing to start from, one approval, pinned definitions refused.
import { join } from 'node:path'
import { type GatewayBoot, stateFiles } from '@gatehouse/contracts'

type Plain = Omit<GatewayBoot, 'installation' | 'logLevel' | 'keys' | 'adminToken'>

/** @param dir the state directory */
export const plainGatewayBoot = (dir: string): Plain => ({
  mode: 'production',
  version: '0.0.0',
  stateDir: dir,
  runDir: join(dir, 'run'),
  edges: { 'gateway.supervisor': 'secret of this start of the unit' },
  catalog: join(dir, stateFiles.catalog),
  identities: null,
  seed: null,
  sample: null,
  pinning: 'refuse',
  approvals: 1,
  changeTtl: 7 * 24 * 60 * 60_000,
  mountAllow: [],
  models: [],
})
