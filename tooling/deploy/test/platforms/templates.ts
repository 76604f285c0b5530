// The three templates, parsed strictly: what the platforms' references name, and nothing else. Neither Render's schema nor any of
// Fly's or Railway's comes with a package, so these are written from the references, for the parts that a template of ours may use.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import * as v from 'valibot'
import { parse as parseYaml } from 'yaml'
import { root } from '../files.ts'

export const folder = join(root, 'deploy/platforms')

const path = v.pipe(v.string(), v.regex(/^\//))
const seconds = v.pipe(v.number(), v.integer(), v.minValue(0))
const duration = v.pipe(v.string(), v.regex(/^\d+(ms|s|m|h)$/))

/** https://render.com/docs/blueprint-spec */
const RenderVariable = v.union([
  v.strictObject({ key: v.string(), value: v.string() }),
  v.strictObject({ key: v.string(), sync: v.literal(false) }),
  v.strictObject({ key: v.string(), generateValue: v.literal(true) }),
])
export const Render = v.strictObject({
  services: v.array(
    v.strictObject({
      type: v.picklist(['web', 'pserv', 'worker']),
      name: v.string(),
      runtime: v.picklist(['docker', 'image', 'node']),
      plan: v.optional(v.picklist(['starter', 'standard', 'pro', 'pro plus', 'pro max', 'pro ultra'])),
      region: v.optional(v.picklist(['oregon', 'ohio', 'virginia', 'frankfurt', 'singapore'])),
      branch: v.optional(v.string()),
      rootDir: v.optional(v.string()),
      dockerfilePath: v.optional(v.string()),
      dockerContext: v.optional(v.string()),
      dockerCommand: v.optional(v.string()),
      autoDeployTrigger: v.optional(v.picklist(['off', 'commit', 'checksPass'])),
      numInstances: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      healthCheckPath: v.optional(path),
      maxShutdownDelaySeconds: v.optional(v.pipe(seconds, v.minValue(1), v.maxValue(300))),
      domains: v.optional(v.array(v.string())),
      disk: v.optional(v.strictObject({ name: v.string(), mountPath: path, sizeGB: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
      envVars: v.optional(v.array(RenderVariable), []),
    }),
  ),
})

/** https://fly.io/docs/reference/configuration/ */
const FlyCheck = v.strictObject({
  method: v.optional(v.string()),
  path,
  interval: v.optional(duration),
  timeout: v.optional(duration),
  grace_period: v.optional(duration),
  protocol: v.optional(v.picklist(['http', 'https'])),
})
export const Fly = v.strictObject({
  app: v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,63}$/)),
  primary_region: v.optional(v.pipe(v.string(), v.regex(/^[a-z]{3}$/))),
  kill_signal: v.optional(v.picklist(['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGKILL', 'SIGSTOP'])),
  kill_timeout: v.optional(duration),
  build: v.optional(
    v.strictObject({
      dockerfile: v.optional(v.string()),
      image: v.optional(v.string()),
      args: v.optional(v.record(v.string(), v.string())),
    }),
  ),
  env: v.optional(v.record(v.string(), v.string()), {}),
  mounts: v.array(
    v.strictObject({
      source: v.pipe(v.string(), v.regex(/^[a-z0-9_]{1,30}$/)),
      destination: path,
      initial_size: v.optional(v.pipe(v.string(), v.regex(/^\d+(gb)?$/))),
      snapshot_retention: v.optional(v.number()),
      processes: v.optional(v.array(v.string())),
    }),
  ),
  http_service: v.strictObject({
    internal_port: v.number(),
    force_https: v.optional(v.boolean()),
    auto_stop_machines: v.optional(v.picklist(['off', 'stop', 'suspend'])),
    auto_start_machines: v.optional(v.boolean()),
    min_machines_running: v.optional(v.number()),
    processes: v.optional(v.array(v.string())),
    checks: v.optional(v.array(FlyCheck), []),
  }),
  vm: v.optional(v.array(v.strictObject({ size: v.optional(v.string()), memory: v.optional(v.string()), cpus: v.optional(v.number()) }))),
})

/** https://docs.railway.com/reference/config-as-code */
export const Railway = v.strictObject({
  $schema: v.literal('https://railway.com/railway.schema.json'),
  build: v.strictObject({
    builder: v.picklist(['DOCKERFILE', 'RAILPACK']),
    dockerfilePath: v.optional(v.string()),
    watchPatterns: v.optional(v.array(v.string())),
  }),
  deploy: v.strictObject({
    startCommand: v.optional(v.string()),
    numReplicas: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
    sleepApplication: v.optional(v.boolean()),
    healthcheckPath: v.optional(path),
    healthcheckTimeout: v.optional(seconds),
    requiredMountPath: v.optional(path),
    overlapSeconds: v.optional(seconds),
    drainingSeconds: v.optional(seconds),
    restartPolicyType: v.optional(v.picklist(['ON_FAILURE', 'ALWAYS', 'NEVER'])),
    restartPolicyMaxRetries: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  }),
})

const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8')

export const readTemplates = async () => ({
  render: v.parse(Render, parseYaml(await text('render.yaml'))),
  fly: v.parse(Fly, parseToml(await text('fly.toml'))),
  railway: v.parse(Railway, JSON.parse(await text('railway.json'))),
})
