// Public surface: choose a driver, assemble the root file system that it starts, and know the walls.
export { chooseDriver } from './detect.ts'
export type { Driver, Exit, LaunchSpec, Mount, Sandbox } from './driver.ts'
export { assembleRootfs } from './rootfs/assemble.ts'
export { chooseToolEngine, type ToolEngine } from './tools/engine.ts'
export { makeImage, type MadeImage } from './tools/make-image.ts'
export type { ToolOrder } from './tools/order.ts'
export { steeringVariable } from './tools/run.ts'
export { type Wall, walls } from './seal/walls.ts'
