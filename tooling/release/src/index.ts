// What tests make releases with.
export { type BuildOptions, buildRelease } from './build.ts'
