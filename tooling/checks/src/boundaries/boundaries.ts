// Who may import whom, and who may hold which power.
import { type Check, fromFindings } from '../check.ts'
import { circleFindings } from './circles.ts'
import { layerFindings } from './layers.ts'
import { linkModules } from './links.ts'
import { readModules } from './modules.ts'
import { powerFindings } from './powers.ts'
import { createResolver } from './resolve.ts'

export const boundaries: Check = {
  name: 'boundaries',
  async run({ root }) {
    const modules = await readModules(root)
    const { links, dangling } = linkModules(modules, createResolver(root))
    return fromFindings([...dangling, ...layerFindings(links), ...circleFindings(links), ...powerFindings(modules)])
  },
}
