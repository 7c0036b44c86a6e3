import { describe, expect, test } from 'vitest';
import { ConfigError, listSettings, loadConfig, type Schema } from './index.ts';
import { baseSchema, portSchema } from './settings.ts';

interface Example {
  count: number;
  atLeastNone: number;
  share: number;
  on: boolean;
  url: string;
  list: string[];
  key: string;
}

const schema: Schema<Example> = {
  count: { doc: 'Count', format: 'positive-int', default: 3, env: 'EXAMPLE_COUNT' },
  atLeastNone: { doc: 'None is enough', format: 'non-negative-int', default: 0, env: 'EXAMPLE_AT_LEAST_NONE' },
  share: { doc: 'Share', format: Number, default: 0.5, env: 'EXAMPLE_SHARE' },
  on: { doc: 'On', format: Boolean, default: false, env: 'EXAMPLE_ON' },
  url: { doc: 'Address', format: 'http-url', default: '', env: 'EXAMPLE_URL' },
  list: { doc: 'List', format: Array, default: [], env: 'EXAMPLE_LIST' },
  key: { doc: 'Key', format: String, default: '', env: 'EXAMPLE_KEY', sensitive: true },
};
const defaults = { count: 3, atLeastNone: 0, share: 0.5, on: false, url: '', list: [], key: '' };

function refused(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('a setting', () => {
  test('that is not given, or empty, has its default', () => {
    expect(loadConfig(schema, {})).toEqual(defaults);
    expect(loadConfig(schema, { EXAMPLE_COUNT: '', EXAMPLE_URL: '', OTHER: 'x' })).toEqual(defaults);
  });

  test('is read from the environment', () => {
    const env = {
      EXAMPLE_COUNT: '7',
      EXAMPLE_AT_LEAST_NONE: '0',
      EXAMPLE_SHARE: '0.25',
      EXAMPLE_ON: 'true',
      EXAMPLE_URL: 'http://h/x',
      EXAMPLE_LIST: 'a,b',
      EXAMPLE_KEY: 'k',
    };
    expect(loadConfig(schema, env)).toEqual({
      count: 7,
      atLeastNone: 0,
      share: 0.25,
      on: true,
      url: 'http://h/x',
      list: ['a', 'b'],
      key: 'k',
    });
    expect(loadConfig(schema, { EXAMPLE_ON: 'false' }).on).toBe(false);
  });

  test('that is overridden is not read from the environment, right or wrong', () => {
    expect(loadConfig(schema, { EXAMPLE_COUNT: '7' }, { count: 9, on: true })).toMatchObject({ count: 9, on: true });
    expect(loadConfig(schema, { EXAMPLE_COUNT: 'x' }, { count: 9 }).count).toBe(9);
    expect(loadConfig(schema, { EXAMPLE_COUNT: '7' }, { count: undefined } as never).count).toBe(7);
  });
});

describe('a wrong setting is one line with its variable and without its value:', () => {
  const whole = 'must be a whole number of at least';
  test.each([
    ['EXAMPLE_COUNT', 'sesame', `${whole} 1`],
    ['EXAMPLE_COUNT', '0', `${whole} 1`],
    ['EXAMPLE_COUNT', '12sesame', `${whole} 1`],
    ['EXAMPLE_COUNT', '1.5', `${whole} 1`],
    ['EXAMPLE_COUNT', '1e3', `${whole} 1`],
    ['EXAMPLE_COUNT', '0x10', `${whole} 1`],
    ['EXAMPLE_COUNT', ' ', `${whole} 1`],
    ['EXAMPLE_COUNT', '9007199254740993', `${whole} 1`],
    ['EXAMPLE_AT_LEAST_NONE', '-1', `${whole} 0`],
    ['EXAMPLE_SHARE', '0.5sesame', 'must be of type Number'],
    ['EXAMPLE_SHARE', 'NaN', 'must be of type Number'],
    ['EXAMPLE_ON', 'no', 'must be of type Boolean'],
    ['EXAMPLE_ON', '1', 'must be of type Boolean'],
    ['EXAMPLE_URL', 'ftp://sesame', 'must be an http or https address'],
    ['EXAMPLE_URL', 'sesame\n: value was sesame', 'must be an http or https address'],
  ])('%s=%s', (env, value, why) => {
    expect(refused(() => loadConfig(schema, { [env]: value }))).toBe(`setting ${env} is wrong: ${why}`);
  });

  test.each([
    ['WEIR_PORT', 'abc', 'must be a whole number from 0 to 65535'],
    ['WEIR_PORT', '40.5', 'must be a whole number from 0 to 65535'],
    ['WEIR_PORT', '65536', 'must be a whole number from 0 to 65535'],
    ['WEIR_LOG_RETENTION_MS', '-5', `${whole} 1`],
    ['DATABASE_URL', 'mysql://u:sesame@h/d', 'must be a postgres:// address'],
    ['DATABASE_URL', 'sesame', 'must be a postgres:// address'],
    ['KAFKA_BROKERS', 'sesame', 'must be host:port, several with commas'],
    ['KAFKA_BROKERS', 'sesame:9092,', 'must be host:port, several with commas'],
    ['KAFKA_BROKERS', 'sesame:99999', 'must be host:port, several with commas'],
    ['SCHEMA_REGISTRY_URL', 'sesame:8081', 'must be an http or https address'],
    ['REDIS_URL', 'http://:sesame@h', 'must be a redis:// or rediss:// address'],
  ])('%s=%s', (env, value, why) => {
    const said = refused(() => loadConfig({ ...baseSchema, ...portSchema(4000) }, { [env]: value }));
    expect(said).toBe(`setting ${env} is wrong: ${why}`);
  });

  test('one that stands in a list names what it may be', () => {
    const said = refused(() => loadConfig(baseSchema, { WEIR_LOG_LEVEL: 'sesame' }));
    expect(said).toBe(
      'setting WEIR_LOG_LEVEL is wrong: must be one of the possible values: ["trace","debug","info","warn","error","silent"]',
    );
  });

  test('the first of several', () => {
    const env = { EXAMPLE_URL: 'sesame', EXAMPLE_ON: 'sesame', EXAMPLE_COUNT: 'sesame' };
    expect(refused(() => loadConfig(schema, env))).toBe(`setting EXAMPLE_COUNT is wrong: ${whole} 1`);
  });

  test('an override, by the same name', () => {
    expect(refused(() => loadConfig(schema, {}, { count: -1 }))).toBe(`setting EXAMPLE_COUNT is wrong: ${whole} 1`);
    expect(refused(() => loadConfig(schema, {}, { key: { sesame: 1 } as never }))).toBe('setting EXAMPLE_KEY is wrong: cannot be read');
    expect(refused(() => loadConfig(schema, {}, { unheard: 'sesame' } as never))).toBe('setting unheard is wrong: not a known setting');
  });

  test('one whose parser quotes the value', () => {
    const parsed: Schema<{ map: object }> = { map: { doc: 'Map', format: Object, default: {}, env: 'EXAMPLE_MAP' } };
    expect(refused(() => loadConfig(parsed, { EXAMPLE_MAP: 'sesame' }))).toBe('setting EXAMPLE_MAP is wrong: cannot be read');
  });
});

test('the settings in force are listed with secrets masked', () => {
  const values = loadConfig(schema, { EXAMPLE_KEY: 'sesame', EXAMPLE_COUNT: '7' });
  const listed = listSettings(schema, values);
  expect(listed.find(({ env }) => env === 'EXAMPLE_KEY')).toEqual({ env: 'EXAMPLE_KEY', doc: 'Key', value: '***', isDefault: false });
  expect(listed.find(({ env }) => env === 'EXAMPLE_COUNT')).toEqual({ env: 'EXAMPLE_COUNT', doc: 'Count', value: '7', isDefault: false });
  expect(listed.find(({ env }) => env === 'EXAMPLE_ON')).toMatchObject({ value: 'false', isDefault: true });
  expect(listSettings(schema, loadConfig(schema, {})).find(({ env }) => env === 'EXAMPLE_KEY')).toMatchObject({
    value: '',
    isDefault: true,
  });
});
