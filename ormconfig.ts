import { DataSource } from 'typeorm';
import { databaseSchema } from './src/features.js';
import { dataSourceOptions } from './src/platform/database/data-source-options.js';

export default new DataSource(dataSourceOptions(process.env.DATABASE_URL, 2, databaseSchema()));
