// Public API: selects a sandbox driver, assembles its root file system, provides disks for groups, and proves the seal.
export { closeOrphans, detectDisks, type Disks, prepareDisks, releaseDisk } from './detect-disks.ts'
export { chooseDriver } from './detect.ts'
export { trialName } from './disks/disk.ts'
export { closeDisk, closeDisks, openDisk, type Opened, resumeDisk } from './disks/open.ts'
export type { DiskPrograms } from './disks/programs.ts'
export { removeTree } from './disks/tree.ts'
export {
  type Control,
  controlNames,
  controls,
  defaultLimits,
  type Driver,
  type Exit,
  type LaunchSpec,
  type Mount,
  type Sandbox,
} from './driver.ts'
export { type LeftoverKind, leftoverKinds, removeUnitContainers, removeUnitGroups } from './leftovers.ts'
export { DiskRefused } from './preallocated/disk.ts'
export { openPremade, resumePremade } from './preallocated/open.ts'
export { disksFolder, referenceOf, removedFolder } from './preallocated/reference.ts'
export { assembleRootfs, nodeChecksums } from './rootfs/assemble.ts'
export { directories as rootfsDirectories, hashFile, sharedObjects, texts as rootfsTexts } from './rootfs/layout.ts'
export { type Proof, type ProofOptions, proveSeal } from './seal/prove.ts'
export { chooseToolEngine, type MadeImage, makeImage, type ToolEngine } from './tools/engine.ts'
export { type PulledImage, pullImage } from './tools/pull-image.ts'
export { steeringVariable, type ToolOrder } from './tools/run.ts'
