-- Runs once, when the data folder is created. Neither Weir nor the registry is superuser or reads the other's data.
\set weir_password `cat /secrets/postgres/weir`
\set registry_password `cat /secrets/postgres/registry`
CREATE ROLE weir LOGIN PASSWORD :'weir_password';
CREATE ROLE registry LOGIN PASSWORD :'registry_password';
CREATE DATABASE weir OWNER weir;
CREATE DATABASE registry OWNER registry;
REVOKE CONNECT ON DATABASE weir, registry FROM PUBLIC;
