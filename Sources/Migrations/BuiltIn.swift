import MigrationEngine

/// The migrations that come with the program.
public enum BuiltIn {
    /// Every one, in the order to show them.
    public static let migrations: [any Migration] = [
        RudderStackV2(), ConvertMigration(), PersonMigration(), KlivvrUserProfile(), LocalDataDemo.sealed,
    ]
}
