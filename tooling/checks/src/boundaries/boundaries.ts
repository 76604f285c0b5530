// Who may import whom, and who may hold which power.
import { type Check, fromFindings } from '../check.ts'
import { readExemptions } from '../exemptions.ts'
import { circleFindings } from './circles.ts'
import { exportFindings } from './exports.ts'
import { folderFindings } from './folders.ts'
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
    const folders = folderFindings(links, readExemptions(root, 'folder-circles'))
    const layers = [...layerFindings(links), ...circleFindings(links), ...folders]
    return fromFindings([...dangling, ...layers, ...exportFindings(root, modules, links), ...powerFindings(modules)])
  },
}
