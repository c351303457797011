// What an operator watches, for Prometheus, on a port of its own: it is not for the public.

import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  readonly registry: Registry
  readonly requests: Histogram<'method' | 'route' | 'status'>
  readonly alerts: Counter
  readonly swept: Counter<'what'>
  readonly doubt: Gauge<'what'>
}

export function openMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    requests: new Histogram({
      name: 'tillbell_request_duration_seconds',
      help: 'Duration of HTTP requests.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    alerts: new Counter({ name: 'tillbell_alerts_total', help: 'Things that a person must hear of.', registers }),
    swept: new Counter({
      name: 'tillbell_swept_total',
      help: 'What the sweeper took up: transactions, operations, rows forgotten.',
      labelNames: ['what'],
      registers,
    }),
    doubt: new Gauge({
      name: 'tillbell_doubt',
      help: 'Operations in doubt, and those that only a person can settle.',
      labelNames: ['what'],
      registers,
    }),
  }
}

export function metricsServer(metrics: Metrics, refresh: () => Promise<void>): Server {
  return createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end()
    refresh()
      .then(() => metrics.registry.metrics())
      .then(text => response.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(text))
      .catch(() => response.writeHead(503).end())
  })
}
