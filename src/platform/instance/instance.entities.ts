import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A stored setting of the instance. It takes precedence over the environment and the built-in default. */
@Entity('instance')
export class InstanceSetting {
  @PrimaryColumn('text') name: string;
  @Column('jsonb') value: object | string;
}
